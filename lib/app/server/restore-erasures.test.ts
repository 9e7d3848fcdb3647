import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, it } from "vitest";
import { verify } from "#lib/app/rollups.ts";
import { finishErasures } from "#testing/erasures.ts";
import { eventOf } from "#testing/events.ts";
import { type Service, startService } from "#testing/service.ts";
import { backup } from "./backup.ts";
import { restore } from "./restore.ts";

const folder = mkdtempSync(join(tmpdir(), "erased-"));
let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  await service.close();
  rmSync(folder, { recursive: true });
});

it("erases again whom a backup brings back, and nobody else", async () => {
  const { api, runtime, db, database } = service;
  await runtime.events.write(1, [
    eventOf("signed up", "alice", { $set: { email: "alice@example.com" } }),
    eventOf("signed up", "alice-browser"),
    eventOf("signed up", "bob"),
  ]);
  const earlier = join(folder, "earlier.backup");
  await backup(database, earlier);
  // In the backup, the browser is still somebody else.
  await runtime.events.write(1, [eventOf("$identify", "alice", { $anon_distinct_id: "alice-browser" })]);
  const gone = await api("POST", "/api/projects/1/persons/bulk_delete/", {
    distinct_ids: ["alice"],
    delete_events: true,
  });
  expect(gone.json.persons_deleted).toBe(1);
  await finishErasures(service);
  const later = join(folder, "later.backup");
  await backup(database, later);
  await runtime.events.write(1, [eventOf("came back", "alice")]);
  const afterwards = join(folder, "afterwards.backup");
  await backup(database, afterwards);

  const ids = async () => {
    const { rows } = await db.execute<{ id: string }>(
      sql`select distinct_id as id from events union select distinct_id from person_distinct_ids order by 1`,
    );
    return rows.map(({ id }) => id);
  };
  const back = async (file: string) => {
    await restore(database, file, { encryptionKey: runtime.settings.encryption_key });
    const { json } = await api("GET", "/api/projects/1/persons/");
    await finishErasures(service);
    expect((await verify(db)).filter(({ differences }) => differences > 0)).toEqual([]);
    return json.results.length;
  };
  expect(await back(earlier)).toBe(1);
  expect(await ids()).toEqual(["bob"]);
  // A backup that knows of the erasure is restored as it is: whoever came afterwards is somebody else.
  expect(await back(afterwards)).toBe(2);
  expect(await ids()).toEqual(["alice", "bob"]);
  expect(await back(later)).toBe(1);
  expect((await api("GET", `/api/projects/1/erasures/${gone.json.erasures[0].id}/`)).json.state).toBe(
    "finished",
  );
});
