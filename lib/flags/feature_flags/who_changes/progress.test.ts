import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LINES, type ProgressLine } from "#lib/platform/http/progress-schema.ts";
import { type Service, startService } from "#testing/service.ts";

let service: Service;
let project: number;

const PEOPLE = 130_000;
const root = () => `/api/projects/${project}/feature_flags`;
const accept = { headers: { accept: LINES } };

const pro = { key: "plan", type: "person", operator: "exact", value: ["pro"] };
const filters = { groups: [{ properties: [pro], rollout_percentage: 40 }] };

beforeAll(async () => {
  service = await startService();
  project = (await service.api("POST", "/api/projects/", { name: "Crowd" })).json.id;
  await service.db.execute(sql`
    with people as (
      insert into persons (project_id, properties)
      select ${project}, jsonb_build_object('plan', case when n % 5 = 0 then 'pro' else 'free' end)
      from generate_series(1, ${PEOPLE}::int) n returning id
    )
    insert into person_distinct_ids (project_id, distinct_id, person_id)
    select ${project}, 'user-' || id, id from people`);
});
afterAll(() => service.close());

type Counts = { total: number; changed: number; next: number | null };
const linesOf = <T>(text: string): ProgressLine<T>[] =>
  text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

/** A call whose answer is read by the test itself. */
const open = (path: string, body: object) =>
  service.handle(
    new Request(`http://switchyard.test${root()}/${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${service.key}`, "content-type": "application/json", accept: LINES },
      body: JSON.stringify(body),
    }),
  );

async function firstLine(response: Response) {
  const reader = response.body?.getReader();
  if (!reader) throw new Error("There is no answer.");
  const { value } = await reader.read();
  const [line] = linesOf<Counts>(new TextDecoder().decode(value));
  return { reader, line };
}

/** How many statements on persons the database is at, those of this one apart. */
async function statements(): Promise<number> {
  const { rows } = await service.db.execute<{ count: number }>(sql`
    select count(*)::int as count from pg_stat_activity
    where datname = current_database() and state = 'active' and query like '%from persons%' and pid <> pg_backend_pid()`);
  return rows[0]?.count ?? 0;
}

describe("a count that reports its progress", () => {
  it("ends with what the parts of it add up to", async () => {
    const parts: Counts[] = [];
    for (let after_person: number | null = 0; after_person !== null; ) {
      const { json } = await service.api("POST", `${root()}/who_changes/`, { filters, after_person });
      parts.push(json);
      after_person = json.next;
    }
    expect(parts).toHaveLength(2);
    const reply = await service.api("POST", `${root()}/who_changes/`, { filters }, accept);
    expect(reply.headers.get("content-type")).toBe(LINES);
    const lines = linesOf<Counts & { consequences: unknown[] }>(reply.text);
    const whole = lines.at(-1);
    if (!whole || !("done" in whole) || !whole.done) throw new Error("It did not end.");
    const sum = (of: (part: Counts) => number) => parts.reduce((total, part) => total + of(part), 0);
    expect(whole.answer).toMatchObject({ total: PEOPLE, next: null, changed: sum((part) => part.changed) });
    expect(sum((part) => part.total)).toBe(PEOPLE);
    const before = lines.slice(0, -1).flatMap((line) => ("done" in line && !line.done ? [line] : []));
    expect(before).toHaveLength(lines.length - 1);
    // What does not have to be counted is known at once.
    expect(before[0]).toMatchObject({ seen: 0, of: null, answer: { total: 0, consequences: [] } });
    const seen = before.map((line) => line.seen);
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
    expect(before.slice(1).every((line) => line.of === PEOPLE && line.answer.total === line.seen)).toBe(true);
  });

  it.each([
    ["user_blast_radius/", { condition: { properties: [pro] } }],
    ["who_changes/bulk/", null],
  ])("%s gives the answer that it gives without", async (path, given) => {
    const flag = (await service.api("POST", `${root()}/`, { key: `f${path.length}`, active: true, filters }))
      .json;
    const body = given ?? { changes: [{ id: flag.id, active: false }] };
    const { text } = await service.api("POST", `${root()}/${path}`, body, accept);
    const last = linesOf<object>(text).at(-1);
    if (!last || !("answer" in last)) throw new Error("It did not end.");
    if (given) {
      const { json } = await service.api("POST", `${root()}/${path}`, body);
      expect(last.answer).toEqual(json);
    } else expect(last.answer).toMatchObject({ people: { total: PEOPLE }, next: null });
  });

  it("refuses what it refuses without, as JSON", async () => {
    const reply = await service.api("POST", `${root()}/who_changes/`, { id: 999_999 }, accept);
    expect(reply.status).toBe(404);
    expect(reply.json.code).toBe("not_found");
  });

  it("stops in the process and in the database when nobody listens any more", async () => {
    const { reader, line } = await firstLine(await open("who_changes/", { filters }));
    expect(line).toMatchObject({ done: false });
    await reader.cancel();
    await expect.poll(statements).toBe(0);
    // The next one has its turn.
    expect((await service.api("POST", `${root()}/who_changes/`, { filters })).status).toBe(200);
  });

  it("waits for another of its project, and is refused when too many wait", async () => {
    const first = await open("who_changes/", { filters });
    const others = await Promise.all(Array.from({ length: 40 }, () => open("who_changes/", { filters })));
    const refused = others.filter((response) => response.status === 429);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.every((response) => response.headers.get("retry-after") === "5")).toBe(true);
    // Of another project, none has to wait.
    const elsewhere = await service.api("POST", "/api/projects/1/feature_flags/who_changes/", { filters });
    expect(elsewhere.json.total).toBe(0);
    for (const response of others) if (response.status === 200) await response.body?.cancel();
    const last = linesOf<Counts>(await first.text()).at(-1);
    expect(last).toMatchObject({ done: true, answer: { total: PEOPLE } });
  });
});
