import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createWriter, verify } from "#lib/app/rollups.ts";
import { createSpool } from "#lib/people/events/spool.ts";
import { finishErasures } from "#testing/erasures.ts";
import { eventOf } from "#testing/events.ts";
import { type Service, startService } from "#testing/service.ts";
import { createReplayFilter } from "./replay.ts";

const folder = mkdtempSync(join(tmpdir(), "replay-"));
let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  await service.close();
  rmSync(folder, { recursive: true });
});

it("events that waited on another machine's disk while their person was erased do not bring the person back", async () => {
  const { api, db, runtime } = service;
  const spool = createSpool({ folder, max_bytes: 1_000_000 });
  const append = (...events: ReturnType<typeof eventOf>[]) =>
    spool.append(events.map((event) => ({ project_id: 1, event })));
  await runtime.events.write(1, [eventOf("signed up", "ann"), eventOf("signed up", "bob")]);
  await append(
    eventOf("before", "ann", { $set: { email: "ann@example.com" } }),
    eventOf("$identify", "new-browser", { $anon_distinct_id: "ann" }),
    eventOf("before", "bob"),
  );
  const gone = await api("POST", "/api/projects/1/persons/bulk_delete/", {
    distinct_ids: ["ann"],
    delete_events: true,
  });
  expect(gone.json.persons_deleted).toBe(1);
  await append(eventOf("after", "ann"));
  const replaying = createReplayFilter(runtime.settings.encryption_key);
  const writer = createWriter(db, { spool, replaying });
  await expect.poll(() => spool.isEmpty, { timeout: 20_000 }).toBe(true);
  await writer.drain();
  await finishErasures(service);
  const { rows } = await db.execute(sql`
    select d.distinct_id, e.event from person_distinct_ids d left join events e using (project_id, distinct_id)
    order by 1, 2`);
  expect(rows).toEqual([
    { distinct_id: "ann", event: "after" },
    { distinct_id: "bob", event: "before" },
    { distinct_id: "bob", event: "signed up" },
  ]);
  expect((await verify(db)).filter(({ differences }) => differences > 0)).toEqual([]);
});
