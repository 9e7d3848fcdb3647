import { verify as verifySignature } from "node:crypto";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { verify } from "#lib/app/rollups.ts";
import { finishErasures } from "#testing/erasures.ts";
import { eventOf } from "#testing/events.ts";
import { type Service, startService } from "#testing/service.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const root = "/api/projects/1";

async function addPerson(id: string) {
  await service.runtime.events.write(1, [
    eventOf("signed up", id, { $set: { email: `${id}@example.com`, [`only of ${id}`]: 1 } }),
    eventOf("$identify", id, { $anon_distinct_id: `${id}-browser` }),
    ...Array.from({ length: 3 }, () => eventOf(`event of ${id}`, id)),
    eventOf("$feature_flag_called", `${id}-browser`, {
      $feature_flag: `of ${id}`,
      $feature_flag_response: true,
    }),
  ]);
  const { json } = await service.api("GET", `${root}/persons/?distinct_id=${id}`);
  return json.results[0] as { id: string };
}

const erase = (id: string, query = "?delete_events=true") =>
  service.api("DELETE", `${root}/persons/${id}/${query}`);

describe("erasing a person", () => {
  it("hides them at once, then deletes everything, and certifies it", async () => {
    const { id } = await addPerson("alice");
    const cohort = await service.api("POST", `${root}/cohorts/`, { name: "Static", is_static: true });
    await service.api("POST", `${root}/cohorts/${cohort.json.id}/add_persons_to_static_cohort/`, {
      distinct_ids: ["alice"],
    });
    const flag = await service.api("POST", `${root}/feature_flags/`, { key: "tested" });
    await service.api("POST", `${root}/feature_flags/${flag.json.id}/test_cases/`, {
      name: "Alice",
      distinct_id: "alice",
      expected: false,
    });
    const held = {
      persons: 1,
      person_distinct_ids: 2,
      events: 6,
      cohort_people: 1,
      feature_flag_test_cases: 1,
    };
    expect((await service.api("GET", `${root}/persons/${id}/stored/`)).json.stored).toMatchObject(held);

    const begun = await erase(id);
    expect([begun.status, begun.json.state, begun.json.certificate]).toEqual([202, "running", null]);
    for (const path of [`persons/${id}/`, `persons/${id}/stored/`, `persons/${id}/export/`])
      expect((await service.api("GET", `${root}/${path}`)).status).toBe(404);
    expect((await erase(id)).status).toBe(404);
    const names = await service.api("GET", `${root}/property_definitions/?search=alice`);
    expect(names.json.results).toEqual([]);

    await finishErasures(service);
    const { json: done } = await service.api("GET", `${root}/erasures/${begun.json.id}/`);
    expect(done).toMatchObject({ state: "finished", person_uuid: id, requested_by_id: 1, removed: held });
    const { rows } = await service.db.execute(sql`
      select (select count(*)::int from events where distinct_id like 'alice%') as events,
        (select count(*)::int from event_definitions where name like '%alice%') as names,
        (select count(*)::int from property_values where value like '%alice%') as values,
        (select count(*)::int from feature_flag_calls_daily where feature_flag_key like '%alice%') as calls,
        (select count::int from cohorts where id = ${cohort.json.id}) as members,
        (select cardinality(distinct_ids) from erasures where id = ${begun.json.id}) as distinct_ids`);
    expect(rows).toEqual([{ events: 0, names: 0, values: 0, calls: 0, members: 0, distinct_ids: 0 }]);
    expect((await verify(service.db)).filter(({ differences }) => differences > 0)).toEqual([]);

    const { statement, signature, public_key } = done.certificate;
    const isSigned = (text: string) =>
      verifySignature(null, Buffer.from(text), public_key, Buffer.from(signature, "base64"));
    expect(isSigned(statement)).toBe(true);
    expect(isSigned(statement.replace("6", "5"))).toBe(false);
    expect(JSON.parse(statement)).toMatchObject({ erasure: done.id, person_uuid: id, removed_rows: held });
    expect(JSON.stringify(done)).not.toContain("alice");
    const { json: list } = await service.api("GET", `${root}/erasures/`);
    expect(list.results.map((each: { id: string }) => each.id)).toContain(done.id);
  });

  it("leaves those alone who come with the same distinct id while events are still being deleted", async () => {
    const { id } = await addPerson("bob");
    expect((await erase(id)).status).toBe(202);
    await service.runtime.events.write(1, [eventOf("came back", "bob")]);
    await finishErasures(service);
    const { json } = await service.api("GET", `${root}/persons/?distinct_id=bob`);
    expect(json.results).toMatchObject([{ distinct_ids: ["bob"], properties: {} }]);
    expect(json.results[0].id).not.toBe(id);
    const { rows } = await service.db.execute(sql`select event from events where distinct_id like 'bob%'`);
    expect(rows).toEqual([{ event: "came back" }]);
    expect((await verify(service.db)).filter(({ differences }) => differences > 0)).toEqual([]);
  });

  it("does it for several, by UUID or distinct id", async () => {
    const [carol, dave] = [await addPerson("carol"), await addPerson("dave")];
    await addPerson("erin");
    const bulk = (body: object) => service.api("POST", `${root}/persons/bulk_delete/`, body);
    const first = await bulk({ ids: [carol.id, dave.id, carol.id], delete_events: true });
    expect(first.status).toBe(202);
    expect(first.json).toMatchObject({
      persons_found: 2,
      persons_deleted: 2,
      events_queued_for_deletion: true,
      recordings_queued_for_deletion: false,
      deletion_errors: 0,
    });
    const second = await bulk({ distinct_ids: ["erin", "erin-browser", "nobody"], delete_events: true });
    expect(second.json).toMatchObject({ persons_found: 1, persons_deleted: 1 });
    await finishErasures(service);
    const { rows } = await service.db.execute(sql`
      select count(*)::int as count from events where distinct_id ~ '^(carol|dave|erin)'`);
    expect(rows).toEqual([{ count: 0 }]);
    for (const body of [
      {},
      { delete_events: true },
      { ids: [carol.id] },
      { ids: [carol.id], delete_events: false },
      { ids: [carol.id], distinct_ids: ["erin"], delete_events: true },
      { ids: ["no uuid"], delete_events: true },
      { distinct_ids: Array.from({ length: 1_001 }, (_, i) => `id ${i}`), delete_events: true },
    ])
      expect((await bulk(body)).status, JSON.stringify(body).slice(0, 80)).toBe(400);
  });

  it("is refused unless events go, too", async () => {
    const { id } = await addPerson("frank");
    for (const query of ["", "?delete_events=false"]) {
      const { status, json } = await erase(id, query);
      expect([status, json.attr]).toEqual([400, "delete_events"]);
    }
    expect((await service.api("GET", `${root}/persons/${id}/`)).status).toBe(200);
    expect((await service.api("GET", `${root}/erasures/${id}/`)).status).toBe(404);
    expect((await service.api("GET", `${root}/erasures/12/`)).status).toBe(404);
  });
});

describe("the export of a person", () => {
  it("is one JSON object with everything, however many events there are", async () => {
    const { id } = await addPerson("grace");
    await service.runtime.events.write(
      1,
      Array.from({ length: 2_001 }, (_, n) => eventOf("many", "grace", { n })),
    );
    const reply = await service.api("GET", `${root}/persons/${id}/export/`);
    expect(reply.status).toBe(200);
    expect(reply.headers.get("content-disposition")).toContain("attachment");
    const { person, events } = reply.json;
    expect(person).toMatchObject({ id, distinct_ids: ["grace", "grace-browser"] });
    expect(person.properties.email).toBe("grace@example.com");
    expect(events).toHaveLength(2_007);
    expect(new Set(events.map((event: { uuid: string }) => event.uuid)).size).toBe(2_007);
    expect(reply.text).not.toContain("alice");
  });
});
