import { eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { organization_memberships, users } from "#lib/platform/db/tables/accounts.ts";
import { approval_policies } from "#lib/platform/db/tables/approvals.ts";
import { addKey, addOrganization, addPerson } from "#testing/accounts.ts";
import { type Service, startService } from "#testing/service.ts";

const ROOT = "/api/projects/1/approval_policies/";
const FORTNIGHT = "14 00:00:00";

let service: Service;
let organization: string;
let ada: { id: number };
let memberKey: string;
let strangerId: number;
beforeAll(async () => {
  service = await startService();
  const { api, db, runtime } = service;
  organization = (await api("GET", "/api/organizations/@current/")).json.id;
  ada = await addPerson(db, "ada@home.test", { [organization]: 8 });
  const member = await addPerson(db, "bob@home.test", { [organization]: 1 });
  memberKey = (await addKey(db, member.id)).value;
  const foreign = await addOrganization(db, "foreign");
  strangerId = (await addPerson(db, "eve@foreign.test", { [foreign.organization.id]: 15 })).id;
  runtime.directory.drop();
});
afterAll(() => service.close());
beforeEach(async () => {
  await service.db.delete(approval_policies);
  service.runtime.policies.drop();
});

const policy = (more: object = {}) => ({
  action_key: "change",
  conditions: { type: "impact", share_above: 1 },
  approver_config: { quorum: 1 },
  ...more,
});
const create = (more: object = {}, key?: string) =>
  service.api("POST", ROOT, policy(more), key === undefined ? {} : { key });
const made = async (more: object = {}) => {
  const { status, json } = await create(more);
  expect([status, json.detail]).toEqual([201, undefined]);
  return json;
};

describe("a policy", () => {
  it("has the public fields, with defaults, and says what it asks for", async () => {
    const { id, created_at, updated_at, created_by, ...fields } = await made();
    expect(fields).toEqual({
      action_key: "change",
      conditions: { type: "impact", share_above: 1 },
      approver_config: { quorum: 1, users: [], roles: [] },
      forbidden: false,
      allow_self_approve: false,
      bypass_org_membership_levels: [],
      bypass_roles: [],
      expires_after: FORTNIGHT,
      enabled: true,
      in_words: "A change needs one approval if it changes the value of more than 1% of people.",
      warnings: [],
    });
    expect(created_by.id).toBe(1);
    expect([typeof created_at, typeof updated_at]).toEqual(["string", "string"]);
    const { json } = await service.api("GET", `${ROOT}${id}/`);
    expect(json).toMatchObject({ id, ...fields });
  });

  it("is what a write finds from then on, changed and deleted too", async () => {
    const found = () => service.runtime.policies.project(1);
    expect(await found()).toEqual([]);
    const { id } = await made();
    expect(await found()).toMatchObject([{ id, quorum: 1, users: [], enabled: true }]);
    await service.api("PATCH", `${ROOT}${id}/`, { enabled: false });
    expect(await found()).toMatchObject([{ id, enabled: false }]);
    expect((await service.api("DELETE", `${ROOT}${id}/`)).status).toBe(204);
    expect(await found()).toEqual([]);
    expect((await service.api("GET", `${ROOT}${id}/`)).status).toBe(404);
  });

  it("keeps what PATCH leaves out, and PUT replaces it", async () => {
    const { id } = await made({
      approver_config: { quorum: 2, users: [1, ada.id, ada.id], roles: [] },
      allow_self_approve: true,
      bypass_org_membership_levels: ["15", 8],
      expires_after: "PT36H",
    });
    const patched = await service.api("PATCH", `${ROOT}${id}/`, { conditions: {} });
    expect(patched.json).toMatchObject({
      conditions: {},
      approver_config: { quorum: 2, users: [1, ada.id] },
      allow_self_approve: true,
      bypass_org_membership_levels: [15, 8],
      expires_after: "1 12:00:00",
    });
    const { json } = await service.api("PUT", `${ROOT}${id}/`, patched.json);
    expect(json).toEqual({ ...patched.json, updated_at: json.updated_at });
    const replaced = await service.api("PUT", `${ROOT}${id}/`, policy());
    expect(replaced.json).toMatchObject({
      approver_config: { quorum: 1, users: [] },
      allow_self_approve: false,
      bypass_org_membership_levels: [],
      expires_after: FORTNIGHT,
    });
  });

  it("that forbids needs no approvers until it no longer does", async () => {
    const { id, in_words } = await made({
      forbidden: true,
      approver_config: undefined,
      conditions: { type: "impact", times: [{ days: ["friday"], from: "16:00", to: "24:00" }] },
    });
    expect(in_words).toBe("A change is not allowed if it is requested on Friday from 16:00 to 24:00.");
    const { json } = await service.api("PATCH", `${ROOT}${id}/`, { forbidden: false });
    expect(json.approver_config).toEqual({ quorum: 1, users: [], roles: [] });
  });

  it("is listed newest first, by action and by whether it is enabled", async () => {
    const first = await made({ enabled: false });
    const second = await made({ action_key: "feature_flag.enable", conditions: {} });
    const ids = async (query: string) =>
      (await service.api("GET", `${ROOT}?${query}`)).json.results.map(({ id }: { id: string }) => id);
    expect(await ids("")).toEqual([second.id, first.id]);
    expect(await ids("limit=1&offset=1")).toEqual([first.id]);
    expect(await ids("action_key=change")).toEqual([first.id]);
    expect(await ids("enabled=True")).toEqual([second.id]);
    expect(await ids("enabled=false")).toEqual([first.id]);
    expect(await ids("action_key=survey.launch")).toEqual([]);
  });

  it("is recorded in the log with what changed; a change of nothing is not", async () => {
    const { id } = await made();
    await service.api("PATCH", `${ROOT}${id}/`, { enabled: true });
    await service.api("PATCH", `${ROOT}${id}/`, { approver_config: { quorum: 2 } });
    await service.api("DELETE", `${ROOT}${id}/`);
    const log = await service.api("GET", `/api/projects/1/activity_log/?scope=ApprovalPolicy&item_id=${id}`);
    const entries: { activity: string }[] = log.json.results;
    expect(entries.map(({ activity }) => activity)).toEqual(["deleted", "updated", "created"]);
    expect(entries[1]).toMatchObject({
      detail: {
        name: "A change needs two approvals if it changes the value of more than 1% of people.",
        changes: [{ field: "approver_config", before: { quorum: 1 }, after: { quorum: 2 } }],
      },
    });
  });

  it("of another project is not there", async () => {
    const second = await service.api("POST", "/api/projects/", { name: "Second" });
    const { id } = await made();
    const there = `/api/projects/${second.json.id}/approval_policies/${id}/`;
    for (const [method, body] of [
      ["GET"],
      ["PATCH", { enabled: false }],
      ["PUT", policy()],
      ["DELETE"],
    ] as const)
      expect((await service.api(method, there, body)).status).toBe(404);
    expect((await service.api("GET", `${ROOT}not-a-uuid/`)).status).toBe(404);
  });

  it("that this release cannot read is in force for every change", async () => {
    const { id } = await made();
    await service.db
      .update(approval_policies)
      .set({ conditions: { type: "by_moonlight" } })
      .where(eq(approval_policies.id, id));
    service.runtime.policies.drop();
    expect(await service.runtime.policies.project(1)).toMatchObject([{ conditions: {} }]);
    expect((await service.api("GET", `${ROOT}${id}/`)).json.in_words).toBe("A change needs one approval.");
  });
});

describe("who may", () => {
  it("members read, and only administrators write", async () => {
    const { id } = await made();
    const key = memberKey;
    expect((await service.api("GET", ROOT, undefined, { key })).json.count).toBe(1);
    for (const [method, path, body] of [
      ["POST", ROOT, policy()],
      ["PATCH", `${ROOT}${id}/`, { enabled: false }],
      ["PUT", `${ROOT}${id}/`, policy()],
      ["DELETE", `${ROOT}${id}/`],
    ] as const)
      expect((await service.api(method, path, body, { key })).json).toMatchObject({
        code: "permission_denied",
        detail: "Only administrators of the organization may do this.",
      });
    expect(await service.runtime.policies.project(1)).toMatchObject([{ id, enabled: true }]);
  });
});

it("no agent frees itself of a policy", async () => {
  const { id } = await made();
  const headers = { "user-agent": "posthog/agent-toolkit; version: 0.2.4" };
  for (const [method, path, body] of [
    ["POST", ROOT, policy()],
    ["PATCH", `${ROOT}${id}/`, { enabled: false }],
    ["DELETE", `${ROOT}${id}/`],
  ] as const) {
    const { status, json } = await service.api(method, path, body, { headers });
    expect([status, json.detail]).toEqual([403, "An agent cannot change approval policies."]);
  }
  expect(await service.runtime.policies.project(1)).toMatchObject([{ id, enabled: true }]);
});

describe("what cannot be used is refused", () => {
  const impact = (more: object) => ({ conditions: { type: "impact", ...more } });
  const times = (more: object) =>
    impact({ times: [{ days: ["friday"], from: "16:00", to: "24:00", ...more }] });
  it.each<[string, object, string, string?]>([
    ["no action", { action_key: undefined }, "action_key"],
    ["an unknown action", { action_key: "feature_flag.rename" }, "action_key"],
    ["no approvers", { approver_config: undefined }, "approver_config"],
    ["approvers without a quorum", { approver_config: {} }, "approver_config__quorum"],
    ["a quorum of none", { approver_config: { quorum: 0 } }, "approver_config__quorum"],
    ["half an approval", { approver_config: { quorum: 1.5 } }, "approver_config__quorum"],
    ["a role", { approver_config: { quorum: 1, roles: ["x"] } }, "approver_config__roles", "no roles"],
    ["a member that there is not", { approver_config: { quorum: 1, teams: [] } }, "approver_config"],
    ["a user by name", { approver_config: { quorum: 1, users: ["ada"] } }, "approver_config__users__0"],
    ["an unknown user", { approver_config: { quorum: 1, users: [4242] } }, "approver_config__users", "4242"],
    ["a huge id", { approver_config: { quorum: 1, users: [2 ** 40] } }, "approver_config__users"],
    ["a quorum nobody reaches", { approver_config: { quorum: 3 } }, "approver_config__quorum", "Only 2"],
    [
      "fewer users than approvals",
      { approver_config: { quorum: 2, users: [1, 1] } },
      "approver_config__quorum",
      "Only 1",
    ],
    ["conditions that are a list", { conditions: [] }, "conditions"],
    ["conditions of no type", { conditions: { share_above: 1 } }, "conditions__type"],
    ["an unknown type", { conditions: { type: "by_moonlight" } }, "conditions__type"],
    ["an unknown member", impact({ share_over: 1 }), "conditions", "share_over"],
    ["a share above everybody", impact({ share_above: 101 }), "conditions__share_above"],
    ["a share as a text", impact({ share_above: "1" }), "conditions__share_above"],
    ["no experiment", impact({ running_experiment: false }), "conditions__running_experiment"],
    ["an empty list", impact({ resources: [] }), "conditions__resources"],
    ["an unknown actor", impact({ actors: ["ghost"] }), "conditions__actors__0"],
    ["an unknown day", times({ days: ["freitag"] }), "conditions__times__0__days__0"],
    ["no time of day", times({ from: "4 pm" }), "conditions__times__0__from"],
    ["the end before the beginning", times({ to: "06:00" }), "conditions__times__0__to", "two entries"],
    ["another field", { conditions: { type: "any_change", field: "name" } }, "conditions__field"],
    [
      "an unknown operator",
      { conditions: { type: "before_after", field: "rollout_percentage", operator: "~", value: 1 } },
      "conditions__operator",
    ],
    [
      "nothing to compare with",
      { conditions: { type: "change_amount", field: "rollout_percentage", operator: ">" } },
      "conditions__value",
    ],
    ["an unknown level", { bypass_org_membership_levels: [9] }, "bypass_org_membership_levels__0"],
    ["a role to bypass it", { bypass_roles: ["x"] }, "bypass_roles", "no roles"],
    ["a life of an instant", { expires_after: "00:00:01" }, "expires_after"],
    ["a life that never ends", { expires_after: "P400D" }, "expires_after"],
    ["a life in words", { expires_after: "a while" }, "expires_after"],
    ["a text for a boolean", { enabled: "yes" }, "enabled"],
  ])("%s", async (_, more, attr, detail = "") => {
    const { status, json } = await create(more);
    expect([status, json.attr, json.detail]).toEqual([400, attr, expect.stringContaining(detail)]);
    expect((await service.api("GET", ROOT)).json.count).toBe(0);
  });

  it("somebody of another organization, or who was deactivated", async () => {
    const gone = await addPerson(service.db, "gone@home.test", { [organization]: 1 });
    await service.db.update(users).set({ is_active: false }).where(eq(users.id, gone.id));
    service.runtime.directory.drop();
    for (const id of [strangerId, gone.id]) {
      const { status, json } = await create({ approver_config: { quorum: 1, users: [id] } });
      expect([status, json.attr, json.detail]).toEqual([
        400,
        "approver_config__users",
        `Not active members of the organization: ${id}.`,
      ]);
    }
  });

  it("a change that leaves nobody to approve; one whose approver has left can still be disabled", async () => {
    const leaving = await addPerson(service.db, "leaving@home.test", { [organization]: 1 });
    service.runtime.directory.drop();
    const { id } = await made({ approver_config: { quorum: 1, users: [leaving.id] } });
    await service.db.delete(organization_memberships).where(eq(organization_memberships.user_id, leaving.id));
    service.runtime.directory.drop();
    const disabled = await service.api("PATCH", `${ROOT}${id}/`, { enabled: false });
    expect(disabled.json).toMatchObject({
      enabled: false,
      in_words: expect.stringContaining("by somebody who has left"),
    });
    for (const body of [{ enabled: true }, { allow_self_approve: true }])
      expect((await service.api("PATCH", `${ROOT}${id}/`, body)).json.attr).toBe("approver_config__users");
  });

  it("more than fifty, also when they are made at once", async () => {
    const { id } = await made();
    const [row] = await service.db.select().from(approval_policies).where(eq(approval_policies.id, id));
    if (!row) throw new Error("It was not stored.");
    const { id: _, ...copy } = row;
    await service.db.insert(approval_policies).values(Array.from({ length: 47 }, () => copy));
    const replies = await Promise.all(Array.from({ length: 4 }, () => create()));
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 201, 400, 400]);
    expect(replies.find(({ status }) => status === 400)?.json.detail).toContain("at most 50");
  });
});

describe("a policy whose approvers have nobody else", () => {
  it.each([
    ["one approver", () => ({ approver_config: { quorum: 1, users: [ada.id] } }), 1],
    [
      "one who may approve their own",
      () => ({ approver_config: { quorum: 1, users: [ada.id] }, allow_self_approve: true }),
      0,
    ],
    ["two, of whom one is enough", () => ({ approver_config: { quorum: 1, users: [ada.id, 1] } }), 0],
    ["two, who both have to", () => ({ approver_config: { quorum: 2, users: [ada.id, 1] } }), 1],
    ["everybody", () => ({ approver_config: { quorum: 1 } }), 0],
    [
      "nobody, because it forbids",
      () => ({ approver_config: { quorum: 1, users: [ada.id] }, forbidden: true }),
      0,
    ],
  ])("is stored and points it out: %s", async (_, fields, warnings) => {
    const policy = await made(fields());
    expect(policy.warnings).toHaveLength(warnings);
    if (warnings > 0) expect(policy.warnings[0]).toContain("bypass");
    expect((await service.api("GET", `${ROOT}${policy.id}/`)).json.warnings).toEqual(policy.warnings);
  });
});
