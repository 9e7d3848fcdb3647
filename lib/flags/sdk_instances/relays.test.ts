import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { log } from "#lib/platform/log.ts";
import { addKey } from "#testing/accounts.ts";
import { createTestRelay } from "#testing/relay.ts";
import { type SdkService, startSdkService } from "#testing/sdk.ts";
import type { RelayReport } from "./report-schema.ts";
import type { Receipt, SdkInstance, SdkRelay } from "./schema.ts";

let service: SdkService;
let key: string;

beforeAll(async () => {
  log().level = "silent";
  service = await startSdkService();
  key = (await addKey(service.db, 1, { scopes: ["relay:read"], scoped_teams: [1] })).value;
});
afterEach(async () => {
  vi.useRealTimers();
  await service.runtime.instances.store("all");
  await service.db.execute("delete from sdk_instances");
  await service.db.execute("delete from sdk_relays");
});
afterAll(() => service.close());

const get = async (path: string) => {
  const { status, json, text } = await service.api("GET", `/api/projects/1/${path}`);
  expect(status, text).toBe(200);
  return json;
};
const receiptOf = (flag: string): Promise<Receipt> => get(`feature_flags/${service.ids[flag]}/receipt/`);
const instancesOf = async (flag: string, more = ""): Promise<SdkInstance[]> =>
  (await get(`sdk_instances/?flag=${service.ids[flag]}${more}`)).results;
const relays = async (): Promise<SdkRelay[]> => (await get("sdk_instances/relays/")).results;
const currentContent = async () => (await service.runtime.definitions.project(1)).content();

const [EU, US] = ["relay-eu-000", "relay-us-000"];
const [RUN, NEXT_RUN] = ["run-00000001", "run-00000002"];

type Given = {
  relay?: Partial<RelayReport["relay"]>;
  projects?: RelayReport["projects"];
  instances?: Partial<RelayReport["instances"][number]>[];
  gone?: RelayReport["gone"];
  requests?: RelayReport["requests"];
};

let sequence = 0;
function reportOf({ relay, projects = [], instances = [], gone = [], requests = [] }: Given) {
  sequence += 1;
  return {
    relay: {
      id: EU,
      name: "eu-1",
      version: "1.0.0",
      run: RUN,
      uptime_ms: 3_600_000,
      sequence,
      problem: null,
      answered: null,
      more: false,
      stopping: false,
      ...relay,
    },
    projects,
    instances: instances.map((each) => ({
      project_id: 1,
      id: "instance-000",
      sdk: "posthog-node",
      sdk_version: "5.0.0",
      address: "10.0.0.1",
      has_stream: false,
      is_tagged: true,
      content: null,
      content_age_ms: null,
      sent_content: null,
      sent_age_ms: null,
      lost_answers: 0,
      first_seen_age_ms: 60_000,
      last_seen_age_ms: 100,
      interval_ms: 1_000,
      ...each,
    })),
    gone,
    requests,
  };
}
const send = (body: unknown, by = key) =>
  service.api("POST", "/api/relay_bundle/report/", body as object, { key: by });
async function report(given: Given) {
  const { status, json, text } = await send(reportOf(given));
  expect(status, text).toBe(200);
  return json as { stored: number[]; superseded: boolean; answered_at_ms: number };
}

/** Definitions before a change of a flag, and after it. Both have been in a bundle. */
async function twoVersions(flag: string): Promise<[string, string]> {
  const bundle = () => service.api("GET", "/api/relay_bundle/", undefined, { key });
  await service.createFlag(flag);
  await bundle();
  const before = await currentContent();
  await service.changeFlag(flag, { name: "Changed" });
  await bundle();
  await service.runtime.instances.store("all");
  return [before, await currentContent()];
}

/** Goes on in time; database and service both use the clock of this process. */
const passes = (ms: number) => vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + ms });

describe("an instance behind a relay", () => {
  const seconds = 1_000;
  it.each<[what: string, state: string, after: number, given: (old: string, now: string) => Given]>([
    [
      "has what it named",
      "confirmed",
      0,
      (_, now) => ({ projects: [{ id: 1, content: now }], instances: [{ content: now }] }),
    ],
    [
      "may have what it was sent",
      "sent",
      0,
      (old, now) => ({
        projects: [{ id: 1, content: now }],
        instances: [{ content: old, sent_content: now, sent_age_ms: 5 }],
      }),
    ],
    [
      "does not get answers",
      "undelivered",
      0,
      (old, now) => ({
        projects: [{ id: 1, content: now }],
        instances: [{ content: old, sent_content: now, lost_answers: 2 }],
      }),
    ],
    [
      "has not asked since the change",
      "waiting",
      0,
      (old, now) => ({ projects: [{ id: 1, content: now }], instances: [{ content: old }] }),
    ],
    [
      "may lose what it has to an older answer",
      "unknown",
      0,
      (old, now) => ({
        projects: [{ id: 1, content: old }],
        instances: [{ content: now, sent_content: old }],
      }),
    ],
    [
      "had stopped before",
      "silent",
      0,
      (old, now) => ({
        projects: [{ id: 1, content: now }],
        instances: [{ content: old, last_seen_age_ms: 60_000 }],
      }),
    ],
    [
      "is not known of while its relay does not report",
      "unknown",
      26 * seconds,
      (_, now) => ({ projects: [{ id: 1, content: now }], instances: [{ content: now }] }),
    ],
    [
      "is known of between two reports",
      "confirmed",
      24 * seconds,
      (_, now) => ({ projects: [{ id: 1, content: now }], instances: [{ content: now }] }),
    ],
    [
      "is not known of once its relay has ended",
      "unknown",
      0,
      (_, now) => ({
        relay: { stopping: true },
        projects: [{ id: 1, content: now }],
        instances: [{ content: now }],
      }),
    ],
    [
      "has stopped if nobody has heard of it since its relay ended",
      "silent",
      700 * seconds,
      (_, now) => ({
        relay: { stopping: true },
        projects: [{ id: 1, content: now }],
        instances: [{ content: now }],
      }),
    ],
    [
      "is not known of after its relay was started again",
      "unknown",
      0,
      (old, now) => ({
        relay: { uptime_ms: 50 },
        projects: [{ id: 1, content: now }],
        instances: [{ content: old }],
      }),
    ],
  ])("%s: %s, %i ms later", async (what, state, after, given) => {
    const flag = `state-${what.replaceAll(" ", "-")}`.slice(0, 60);
    const [old, now] = await twoVersions(flag);
    await report(given(old, now));
    passes(after);
    expect((await instancesOf(flag)).map((each) => each.state)).toEqual([state]);
    const receipt = await receiptOf(flag);
    expect(receipt).toMatchObject({ [state]: 1, complete: state === "confirmed" || state === "silent" });
    expect(receipt.total).toBe(state === "silent" ? 0 : 1);
  });

  it("is behind as long as its relay is, however often it asks", async () => {
    const [old, now] = await twoVersions("old-relay");
    const asks = (content: string) =>
      report({ projects: [{ id: 1, content }], instances: [{ content: old }] });
    await asks(old);
    const stateOf = async () => (await instancesOf("old-relay"))[0]?.state;
    expect(await stateOf()).toBe("waiting");
    passes(11_000);
    await asks(old);
    expect(await stateOf()).toBe("behind");
    expect(await relays()).toMatchObject([{ state: "behind", behind_by: 1, instances: 1, served: 0 }]);
    const [listed] = (await receiptOf("old-relay")).relays;
    expect(listed).toMatchObject({ name: "eu-1", state: "behind", flag_version: 1, behind_by: 1 });
    await asks(now);
    expect(await stateOf()).toBe("waiting");
    expect(await relays()).toMatchObject([{ state: "current", behind_by: 0 }]);
  });

  it("is not known of where its relay has not reported since the change", async () => {
    await service.createFlag("changed-later");
    const content = await currentContent();
    await report({ projects: [{ id: 1, content }], instances: [{ content }] });
    await service.changeFlag("changed-later", { name: "Changed" });
    const stateOf = async () => (await instancesOf("changed-later"))[0]?.state;
    expect(await stateOf()).toBe("waiting");
    passes(6_000);
    expect(await stateOf()).toBe("unknown");
  });

  it("is one instance wherever it asks, and the last one to have seen it is right", async () => {
    const [old, now] = await twoVersions("moves");
    const projects = [{ id: 1, content: now }];
    const seen = async () =>
      (await instancesOf("moves")).map(({ relay, state }) => [relay?.name ?? null, state]);
    await report({ projects, instances: [{ content: old, last_seen_age_ms: 5_000 }] });
    expect(await seen()).toEqual([["eu-1", "waiting"]]);
    await report({
      relay: { id: US, name: "us-1" },
      projects,
      instances: [{ content: now, last_seen_age_ms: 1_000 }],
    });
    expect(await seen()).toEqual([["us-1", "confirmed"]]);
    // What the first one says is older, although it says it later.
    await report({ projects, instances: [{ content: old, last_seen_age_ms: 4_000 }] });
    await report({ projects, gone: [{ project_id: 1, id: "instance-000" }] });
    expect(await seen()).toEqual([["us-1", "confirmed"]]);
    const tag = { "if-none-match": `W/"${now}5.instance-000"` };
    await service.api("GET", `/flags/definitions?token=${service.token}&send_cohorts`, undefined, {
      headers: tag,
    });
    expect(await seen()).toEqual([[null, "confirmed"]]);
    await report({ projects, instances: [{ content: now, last_seen_age_ms: 0 }] });
    expect(await seen()).toEqual([["eu-1", "confirmed"]]);
    expect(await instancesOf("moves", `&relay=${EU}`)).toHaveLength(1);
    expect(await instancesOf("moves", `&relay=${US}`)).toHaveLength(0);
    await report({ projects, gone: [{ project_id: 1, id: "instance-000" }] });
    expect(await seen()).toEqual([]);
  });
});

describe("a report", () => {
  const stateOf = async (flag: string) => (await instancesOf(flag))[0]?.state;

  it("changes nothing after a later one of the same run", async () => {
    const [old, now] = await twoVersions("late");
    const projects = [{ id: 1, content: now }];
    const late = reportOf({ projects, instances: [{ content: old }], requests: [] });
    await report({ projects, instances: [{ content: now }] });
    expect((await send(late)).json).toMatchObject({ stored: [], superseded: false });
    expect(await stateOf("late")).toBe("confirmed");
  });

  it("counts requests once, however often it arrives", async () => {
    const again = reportOf({
      projects: [{ id: 1, content: null }],
      requests: [{ project_id: 1, sdk: "posthog-php", sdk_version: "9.9.9", count: 3 }],
    });
    for (let i = 0; i < 3; i++) expect((await send(again)).status).toBe(200);
    const { callers } = await get("sdk_instances/summary/");
    expect(callers).toContainEqual(expect.objectContaining({ sdk: "posthog-php", requests: 3 }));
  });

  it("of a run that has ended is left out once the next one has reported, and of one that began later is not", async () => {
    const [old, now] = await twoVersions("runs");
    const projects = [{ id: 1, content: now }];
    await report({ projects, instances: [{ content: old }] });
    await report({
      relay: { run: NEXT_RUN, uptime_ms: 50, sequence: 1 },
      projects,
      instances: [{ content: now, last_seen_age_ms: 10 }],
    });
    const ended = await report({ projects, instances: [{ content: old, last_seen_age_ms: 0 }] });
    expect(ended).toMatchObject({ stored: [], superseded: true });
    expect(await stateOf("runs")).toBe("confirmed");
    expect(await relays()).toHaveLength(1);
    // It does not report any more: whoever does is the relay.
    passes(30_000);
    expect(await report({ projects })).toMatchObject({ stored: [1], superseded: false });
  });

  it("is as of the moment at which it was made, however long it took", async () => {
    const [old, now] = await twoVersions("slow");
    const projects = [{ id: 1, content: now }];
    const { answered_at_ms: at_ms } = await report({ projects });
    passes(9_000);
    await report({ relay: { answered: { at_ms, ago_ms: 2_000 } }, projects, instances: [{ content: old }] });
    const [each] = await instancesOf("slow");
    expect(Date.parse(each?.as_of ?? "")).toBe(at_ms + 2_000);
    expect(Date.parse(each?.last_seen_at ?? "")).toBe(at_ms + 1_900);
    // Nor is it of the future, or of long ago, whatever it says.
    for (const answered of [
      { at_ms: 0, ago_ms: 0 },
      { at_ms: Number.MAX_SAFE_INTEGER, ago_ms: 1 },
    ])
      await report({ relay: { answered }, projects });
    const [relay] = await relays();
    expect(Date.parse(relay?.reported_at ?? "")).toBe(Date.now());
  });

  it("in several parts counts with the last one", async () => {
    const [, now] = await twoVersions("parts");
    const projects = [{ id: 1, content: now }];
    await report({ projects });
    const [before] = await relays();
    passes(5_000);
    await report({ relay: { more: true }, projects, instances: [{ content: now }] });
    expect((await relays())[0]?.reported_at).toBe(before?.reported_at);
    await report({ projects, instances: [{ id: "instance-001", content: now }] });
    expect((await relays())[0]?.reported_at).not.toBe(before?.reported_at);
    expect(await instancesOf("parts", "&state=confirmed")).toHaveLength(2);
  });

  it("of projects that the key does not open is left out", async () => {
    const { json: other } = await service.api("POST", "/api/projects/", { name: "Other" });
    const content = await currentContent();
    const given = reportOf({
      projects: [1, other.id, 999_999].map((id) => ({ id, content })),
      instances: [1, other.id, 999_999].map((project_id) => ({ project_id, content })),
    });
    expect((await send(given)).json.stored).toEqual([1]);
    expect((await service.api("GET", `/api/projects/${other.id}/sdk_instances/`)).json.count).toBe(0);
    expect(
      (await service.api("GET", `/api/projects/${other.id}/sdk_instances/relays/`)).json.results,
    ).toEqual([]);
    expect(
      (await send({ ...given, relay: { ...given.relay, sequence: 100_000 } }, service.key)).json.stored,
    ).toEqual([1, other.id]);
  });

  it("is refused without the scope", async () => {
    const { value } = await addKey(service.db, 1, { scopes: ["feature_flag:write"] });
    expect((await send(reportOf({}), value)).status).toBe(403);
  });

  const good = { content: "c".repeat(22) };
  it.each<[string, Given | Record<string, unknown>]>([
    ["an id that is none", { relay: { id: "'; drop table" } }],
    ["a name without end", { relay: { name: "n".repeat(61) } }],
    ["no name", { relay: { name: "" } }],
    ["a negative sequence", { relay: { sequence: -1 } }],
    ["a sequence that is too large", { relay: { sequence: 2 ** 31 } }],
    ["an age of the future", { instances: [{ last_seen_age_ms: -1 }] }],
    ["an age that is no number", { instances: [{ last_seen_age_ms: Number.NaN }] }],
    ["an age of years", { instances: [{ first_seen_age_ms: 1e12 }] }],
    ["a content that is none", { instances: [{ content: "x" }] }],
    ["an SDK without end", { instances: [{ sdk: "x".repeat(81) }] }],
    ["a project that is none", { projects: [{ id: 0, content: null }] }],
    ["too many instances", { instances: Array.from({ length: 1_001 }, () => good) }],
    ["a negative count", { requests: [{ project_id: 1, sdk: "", sdk_version: "", count: -1 }] }],
  ])("with %s is refused", async (_, given) => {
    const { status, text } = await send(reportOf(given as Given));
    expect(status, text).toBe(400);
    expect(await relays()).toEqual([]);
  });

  it("may name an instance, a project or a program twice", async () => {
    const content = await currentContent();
    const same = { project_id: 1, sdk: "twice", sdk_version: "1", count: 2 };
    await report({
      projects: [
        { id: 1, content: null },
        { id: 1, content },
      ],
      instances: [{ content: null }, { content }],
      requests: [same, same],
    });
    expect(await relays()).toMatchObject([{ state: "current", instances: 1 }]);
  });
});

it("names the same definitions at a relay and at its origin, also with encrypted payloads", async () => {
  await service.createFlag("secret", {
    is_remote_configuration: true,
    has_encrypted_payloads: true,
    filters: { groups: [{ properties: [], rollout_percentage: 100 }], payloads: { true: '"hidden"' } },
  });
  const relay = createTestRelay({ handle: service.handle, key });
  try {
    await relay.poll();
    await relay.report();
    expect(await relays()).toMatchObject([{ name: "test", state: "current", behind_by: 0, problem: null }]);
  } finally {
    await relay.close();
  }
  expect(await relays()).toMatchObject([{ state: "stopped" }]);
});
