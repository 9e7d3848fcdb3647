import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { sealSession } from "#lib/app/session/sealed-session.ts";
import { sessionCookie } from "#lib/app/session/session-cookie.ts";
import { demo_loads, organization_memberships, projects, users } from "#lib/platform/db/tables/accounts.ts";
import { type Endpoint, onlyReads, SCOPE_OBJECTS, type Scope } from "#lib/platform/http/contract.ts";
import { ADMIN_LEVEL } from "#lib/platform/http/directory.ts";
import { DATABASE_INTEGER_MAX } from "#lib/platform/http/params.ts";
import { allows } from "#lib/platform/http/scopes.ts";
import { addKey, addOrganization, addPerson } from "#testing/accounts.ts";
import { type FilledProject, fillProject, pathWith } from "#testing/every-resource.ts";
import { type Service, startService } from "#testing/service.ts";
import { contracts } from "./contracts.ts";

/**
 * Every endpoint with every state of a credential. What is expected follows from the endpoint's declaration and from
 * what the state says about itself; a new endpoint is in here as soon as it is in a contract.
 *
 * There are three projects: ours, a second one of the same organization, and one of another organization. Every text
 * in the first contains OURS, every text in the others THEIRS.
 */
const OURS = "ourmark";
const THEIRS = "theirmark";
const UNKNOWN = "0197d6a0-0000-7000-8000-000000000000";

type Operation = { name: string; resource: string; declared: Endpoint };

const ALL: Operation[] = Object.entries(contracts).flatMap(([resource, contract]) =>
  Object.entries<Endpoint>(contract).map(([verb, declared]) => ({
    name: `${resource}.${verb}`,
    resource,
    declared,
  })),
);
// Reads come first: the writes that are let in change what there is to read.
const OPERATIONS = [
  ...ALL.filter(({ declared }) => onlyReads(declared)),
  ...ALL.filter(({ declared }) => !onlyReads(declared)),
];

/** What a request carries, and where. */
type Sent = {
  key?: string;
  headers?: Record<string, string>;
  query?: Record<string, string>;
  body?: Record<string, unknown>;
  /** What the path says instead of the first project's id. */
  project?: string | number;
};

/** The credentials of a state, and all that is to be known about them to tell what happens. */
type State = {
  name: string;
  sent: (operation: Operation) => Sent;
  /** Nobody is recognized. */
  refused?: "not_authenticated" | "authentication_failed";
  /** A project's secret key: of the first project, or of another one. */
  secret?: "ours" | "another";
  scopes?: (operation: Operation) => readonly string[];
  /** What the key is restricted to. */
  restricted?: "our project" | "another project" | "our organization" | "another organization";
  /** The owner's level in our organization. */
  level?: number;
  /** Names a project that does not exist. */
  unknownProject?: boolean;
  /** For some endpoints only. */
  applies?: (declared: Endpoint) => boolean;
  /** The project of a read is another one, by a token in its query. */
  reads?: "another project" | "another organization";
};

type Expected =
  | { outcome: "refused"; status: number; code: string; detail?: string }
  /** The call is let in, and finds what is ours. */
  | { outcome: "admitted" }
  /** Authorization is not what stops it, but nothing that is ours is within reach. */
  | { outcome: "outside" };

const refusal = (status: number, code: string): Expected & { outcome: "refused" } => ({
  outcome: "refused",
  status,
  code,
});
const DENIED = refusal(403, "permission_denied");
/** The answer says which scope is missing. */
const lacksScope = ({ scope }: Endpoint): Expected => ({
  ...DENIED,
  detail: scope ?? "",
});
const ADMITTED: Expected = { outcome: "admitted" };
const OUTSIDE: Expected = { outcome: "outside" };

/** They answer for every project that a key opens. */
const ACROSS_PROJECTS = new Set(["relay.retrieve"]);

const inProject = ({ path }: Endpoint) => path.includes("{project_id}");
const takesBody = ({ method }: Endpoint) => method !== "GET" && method !== "DELETE";

function expectedInProject(declared: Endpoint, state: State, isCovered: boolean): Expected {
  const { restricted, level = 15 } = state;
  if (state.unknownProject) return refusal(404, "not_found");
  if (restricted?.startsWith("another")) return DENIED;
  if (!isCovered) return lacksScope(declared);
  if (level === 0) return DENIED;
  if (state.reads && declared.method === "GET")
    return state.reads === "another organization" ? DENIED : OUTSIDE;
  return declared.administrators && level < ADMIN_LEVEL ? DENIED : ADMITTED;
}

function expectedElsewhere(declared: Endpoint, state: State, isCovered: boolean): Expected {
  const { restricted, level = 15 } = state;
  if (!isCovered) return lacksScope(declared);
  if (declared.refuses && restricted?.endsWith("project")) return DENIED;
  if (declared.refuses === "restricted_keys" && restricted) return DENIED;
  if (declared.path.includes("{organization_id}")) {
    if (level === 0) return refusal(404, "not_found");
    if (restricted === "another organization") return DENIED;
  }
  if (level === 0 || restricted?.startsWith("another")) return OUTSIDE;
  return declared.administrators && level < ADMIN_LEVEL ? DENIED : ADMITTED;
}

/** What the declaration of an endpoint promises to whoever comes with these credentials. */
function expectedOf(operation: Operation, state: State): Expected {
  const { declared } = operation;
  if (state.refused) return refusal(401, state.refused);
  if (state.secret) {
    if (declared.credential !== "personal_or_secret_key") return refusal(401, "authentication_failed");
    return state.secret === "ours" ? ADMITTED : DENIED;
  }
  const scopes = state.scopes?.(operation) ?? ["*"];
  const isCovered =
    declared.scope === null ||
    [declared.scope, ...(declared.or_scopes ?? [])].some((scope) => allows([...scopes], scope));
  return inProject(declared)
    ? expectedInProject(declared, state, isCovered)
    : expectedElsewhere(declared, state, isCovered);
}

let service: Service;
let ours: FilledProject;
let organization: string;
let states: State[];
let readerKey: string;

/** Keys of the first person with certain scopes; one for each list. */
const keysByScopes = new Map<string, string>();

const objectOf = (scope: Scope) => scope.split(":")[0] as string;
const lacking = ({ declared }: Operation) => {
  const enough = declared.scope === null ? [] : [declared.scope, ...(declared.or_scopes ?? [])].map(objectOf);
  return SCOPE_OBJECTS.filter((name) => !enough.includes(name)).map((name) => `${name}:write`);
};
const onlyReading = ({ declared }: Operation) =>
  declared.scope === null ? [] : [...lacking({ declared } as Operation), `${objectOf(declared.scope)}:read`];
const exactly = ({ declared }: Operation) => (declared.scope === null ? ["user:read"] : [declared.scope]);
const READ_ALL = SCOPE_OBJECTS.map((name) => `${name}:read`);

beforeAll(async () => {
  service = await startService();
  const { api, db, runtime } = service;
  const send = async (method: string, path: string, body?: object) => {
    const reply = await api(method, path, body);
    expect(reply.status, `${method} ${path}: ${reply.text}`).toBeLessThan(300);
    return reply.json;
  };
  organization = (await send("GET", "/api/organizations/@current/")).id;
  const second = await send("POST", "/api/projects/", { name: "Second" });
  const foreign = await addOrganization(db, "foreign");
  await db
    .insert(organization_memberships)
    .values({ organization_id: foreign.organization.id, user_id: 1, level: 15 });
  runtime.directory.drop();
  ours = await fillProject(service.api, 1, OURS);
  await fillProject(service.api, second.id, THEIRS);
  await fillProject(service.api, foreign.project.id, THEIRS);
  // Both organizations have a demo project already: whoever asks for it loads none.
  for (const organization_id of [organization, foreign.organization.id]) {
    const made = await send("POST", "/api/projects/", { name: "Demo", organization: organization_id });
    await db.update(projects).set({ is_demo: true }).where(eq(projects.id, made.id));
    const now = new Date();
    await db
      .insert(demo_loads)
      .values({ project_id: made.id, state: "done", percent: 100, started_at: now, updated_at: now });
  }

  const keyOf = async (
    email: string,
    levels: Record<string, number>,
    options: Parameters<typeof addKey>[2] = {},
  ) => {
    const person = await addPerson(db, email, levels);
    return { person, ...(await addKey(db, person.id, options)) };
  };
  const home = { [organization]: 15 };
  const both = { ...home, [foreign.organization.id]: 15 };
  const member = await keyOf("member@home.test", { [organization]: 1 });
  const admin = await keyOf("admin@home.test", { [organization]: 8 });
  const owner = await keyOf("owner@home.test", home);
  const stranger = await keyOf("stranger@foreign.test", { [foreign.organization.id]: 15 });
  const removed = await keyOf("removed@home.test", home);
  const deactivated = await keyOf("deactivated@home.test", home);
  const expired = await keyOf("expired@home.test", home, { expires_at: new Date(Date.now() - 1_000) });
  const ourProject = await keyOf("our-project@home.test", both, { scoped_teams: [1] });
  const secondOnly = await keyOf("second@home.test", both, { scoped_teams: [second.id] });
  const ourOrganization = await keyOf("organization@home.test", both, {
    scoped_organizations: [organization],
  });
  const foreignOnly = await keyOf("foreign@home.test", both, {
    scoped_organizations: [foreign.organization.id],
  });
  readerKey = (await keyOf("reader@home.test", home, { scopes: READ_ALL })).value;
  for (const operation of ALL)
    for (const scopes of [lacking(operation), onlyReading(operation), exactly(operation)]) {
      const name = scopes.join();
      if (!keysByScopes.has(name))
        keysByScopes.set(name, (await addKey(db, owner.person.id, { scopes })).value);
    }
  runtime.directory.drop();
  // Each of these keys is known to the process before it ends.
  const use = async (key: string) =>
    expect((await api("GET", "/api/projects/", undefined, { key })).status).toBe(200);
  const deleted = await send("POST", "/api/personal_api_keys/", { label: "deleted", scopes: ["*"] });
  const rolled = await send("POST", "/api/personal_api_keys/", { label: "rolled", scopes: ["*"] });
  for (const { value } of [removed, deactivated, deleted, rolled]) await use(value);
  expect((await api("DELETE", `/api/personal_api_keys/${deleted.id}/`)).status).toBe(204);
  const fresh = await send("POST", `/api/personal_api_keys/${rolled.id}/roll/`);
  await db.delete(organization_memberships).where(eq(organization_memberships.user_id, removed.person.id));
  await db.update(users).set({ is_active: false }).where(eq(users.id, deactivated.person.id));
  runtime.directory.drop();
  const session = await runtime.sessions.start(owner.value, new Date());
  const password = "a password of at least thirty-two characters";
  const sealed = await sealSession({ id: session, api_key: owner.value, api_base_url: "own" }, password);
  const cookie = `${sessionCookie(false).name}=${sealed}`;

  const bearer = (key: string) => () => ({ key });
  const failing = { refused: "authentication_failed" } as const;
  const absent = { refused: "not_authenticated" } as const;
  const header = (authorization: string) => () => ({ headers: { authorization } });
  const withScopes = (scopesOf: (operation: Operation) => string[]) => ({
    sent: (operation: Operation) => ({ key: keysByScopes.get(scopesOf(operation).join()) ?? "" }),
    scopes: scopesOf,
  });
  const tokenRead = (token: string) => () => ({ key: owner.value, query: { token } });
  states = [
    { name: "nothing", sent: () => ({}), ...absent },
    { name: "another scheme", sent: header(`Basic ${owner.value}`), ...absent },
    { name: "a scheme in small letters", sent: header(`bearer ${owner.value}`), ...absent },
    { name: "an empty header", sent: header("Bearer "), ...absent },
    { name: "a session's cookie", sent: () => ({ headers: { cookie } }), ...absent },
    { name: "an unknown key", sent: bearer("phx_unknown"), ...failing },
    { name: "a key with something after it", sent: bearer(`${owner.value}x`), ...failing },
    { name: "a deleted key", sent: bearer(deleted.value), ...failing },
    { name: "the value before a key was rolled", sent: bearer(rolled.value), ...failing },
    { name: "an expired key", sent: bearer(expired.value), ...failing },
    { name: "a key of somebody who was deactivated", sent: bearer(deactivated.value), ...failing },
    { name: "our project's token", sent: bearer(service.token), ...failing },
    { name: "another project's token", sent: bearer(foreign.project.api_token), ...failing },
    { name: "an unknown secret key", sent: bearer("phs_unknown"), ...failing },
    {
      name: "a key in a request from another origin",
      sent: () => ({ key: owner.value, headers: { origin: "https://elsewhere.example" } }),
      ...failing,
    },
    {
      name: "a wrong key in the header and a right one in the query",
      sent: () => ({ key: "phx_unknown", query: { personal_api_key: owner.value } }),
      ...failing,
    },
    {
      name: "a wrong key in the header and a right one in the body",
      sent: () => ({ key: "phx_unknown", body: { personal_api_key: owner.value } }),
      applies: takesBody,
      ...failing,
    },
    {
      name: "a wrong key in the query and a right one in the body",
      sent: () => ({
        query: { personal_api_key: "phx_unknown" },
        body: { personal_api_key: owner.value },
      }),
      applies: takesBody,
      ...failing,
    },
    {
      name: "an unknown project token in the query",
      sent: tokenRead("phc_unknown"),
      applies: (declared) => declared.method === "GET" && inProject(declared),
      ...failing,
    },
    { name: "a key without the scope", ...withScopes(lacking) },
    { name: "a key that may only read", ...withScopes(onlyReading), applies: ({ scope }) => scope !== null },
    {
      name: "an unknown project, and a key without the scope",
      ...withScopes(lacking),
      sent: (operation) => ({ ...withScopes(lacking).sent(operation), project: 424_242 }),
      unknownProject: true,
      applies: inProject,
    },
    { name: "a key of another project", sent: bearer(secondOnly.value), restricted: "another project" },
    {
      name: "a key of another organization",
      sent: bearer(foreignOnly.value),
      restricted: "another organization",
    },
    { name: "a key of somebody who is no member", sent: bearer(stranger.value), level: 0 },
    { name: "a key of somebody who was a member", sent: bearer(removed.value), level: 0 },
    {
      name: "the secret key of another project",
      sent: bearer(second.secret_api_token),
      secret: "another",
    },
    {
      name: "another project's token in the query",
      sent: tokenRead(second.api_token),
      reads: "another project",
      applies: inProject,
    },
    {
      name: "the token of another organization's project in the query",
      sent: tokenRead(foreign.project.api_token),
      reads: "another organization",
      applies: inProject,
    },
    // From here on most calls are let in.
    { name: "a key with exactly the scope", ...withScopes(exactly) },
    { name: "the value after a key was rolled", sent: bearer(fresh.value) },
    { name: "a member's key", sent: bearer(member.value), level: 1 },
    { name: "an administrator's key", sent: bearer(admin.value), level: 8 },
    { name: "an owner's key", sent: bearer(owner.value), level: 15 },
    { name: "a key of our project", sent: bearer(ourProject.value), restricted: "our project" },
    {
      name: "a key of our organization",
      sent: bearer(ourOrganization.value),
      restricted: "our organization",
    },
    {
      name: "our secret key",
      sent: () => ({ key: ourSecret }),
      secret: "ours",
    },
    { name: "a key in the query", sent: () => ({ query: { personal_api_key: owner.value } }) },
    {
      name: "a key in the body",
      sent: () => ({ body: { personal_api_key: owner.value } }),
      applies: takesBody,
    },
    {
      name: "a right key in the header and a wrong one in the query",
      sent: () => ({ key: owner.value, query: { personal_api_key: "phx_unknown" } }),
    },
    {
      name: "a key in a request from our own origin",
      sent: () => ({ key: owner.value, headers: { origin: "http://switchyard.test" } }),
    },
    {
      name: "our project as the current one",
      sent: () => ({ key: owner.value, project: "@current" }),
      applies: inProject,
    },
  ];
});
afterAll(() => service.close());

/** Of the project as it is now: writes that are let in replace it. */
let ourSecret = "";
beforeEach(async () => {
  ourSecret = (await service.api("GET", "/api/projects/1/")).json.secret_api_token;
});

/**
 * What changes without anybody's writing: the last use of a key, work that is due, who has read figures when, and which
 * definitions SDKs and relays were given, which is stored a second later.
 */
const UNWATCHED = [
  "personal_api_keys",
  "jobs",
  "experiment_looks",
  "audit_notes",
  "definition_versions",
  "sdk_instances",
  "sdk_callers",
];
const DERIVED = /^experiment_(states|units|progress|unit_days|series|totals|days)$/;

async function tableNames(): Promise<string[]> {
  const { rows } = await service.db.execute<{ name: string }>(
    sql`select relname as name from pg_class where relkind in ('r', 'p') and not relispartition
      and relnamespace = 'public'::regnamespace order by 1`,
  );
  return rows.map(({ name }) => name);
}

const COUNT = sql`count(*)::text`;
const DIGEST = sql`count(*) || ' ' || coalesce(md5(string_agg(t::text, ',' order by t::text)), '')`;

async function rowsOf(tables: string[], held: typeof COUNT): Promise<Map<string, string>> {
  const parts = tables.map(
    (name) => sql`select ${name} as name, ${held} as rows from ${sql.identifier(name)} t`,
  );
  const { rows } = await service.db.execute<{ name: string; rows: string }>(
    sql.join(parts, sql` union all `),
  );
  return new Map(rows.map(({ name, rows: found }) => [name, found]));
}

/** What every table holds, as a number of rows and a digest of them. */
async function contents(): Promise<Map<string, string>> {
  const tables = (await tableNames()).filter((name) => !DERIVED.test(name));
  const watched = tables.filter((name) => !UNWATCHED.includes(name));
  return new Map([...(await rowsOf(watched, DIGEST)), ...(await rowsOf(["personal_api_keys"], COUNT))]);
}

/** How many rows figures take, and who has seen them. */
async function derivedRows(): Promise<Map<string, string>> {
  const tables = (await tableNames()).filter((name) => DERIVED.test(name));
  return rowsOf([...tables, "experiment_looks"], COUNT);
}

/** Projects of which one does not exist. */
const ENVIRONMENTS = {
  environments: [
    { project_id: 1, name: "Here" },
    { project_id: DATABASE_INTEGER_MAX, name: "Nowhere" },
  ],
};

/** Without these a call would be refused before its caller is. */
const BODIES: Record<string, Record<string, unknown>> = {
  "projects.create": { name: "Made" },
  "instance_status.retry_jobs": { name: "nothing" },
  "environments.create": ENVIRONMENTS,
  "environments.partial_update": ENVIRONMENTS,
  "organizations.add_member": { email: "nobody@home.test" },
  "relay.report": {
    relay: {
      id: "nobodysrelay",
      name: "nowhere",
      version: "0.0.0",
      run: "nobodysrelay",
      uptime_ms: 1,
      sequence: 1,
      problem: null,
      answered: null,
      more: false,
      stopping: false,
    },
    projects: [],
    instances: [],
    gone: [],
    requests: [],
  },
};

/** Whether a call that is let in finds something: people's own records are not among ours. */
const finds = (declared: Endpoint) =>
  onlyReads(declared) && (inProject(declared) || !declared.path.includes("{id}"));

/** Reads are of our records; writes name none, so that those let in find nothing to change. */
function pathOf({ declared, resource }: Operation, project: string | number): string {
  return pathWith(declared, project, (name) => {
    if (name === "organization_id") return organization;
    return finds(declared) ? (ours.ids[name] ?? ours.ids[resource]) : UNKNOWN;
  });
}

async function call(operation: Operation, sent: Sent) {
  const { declared, name } = operation;
  const query = new URLSearchParams(
    Object.entries({ ...ours.queries[name], ...sent.query }).map(([part, value]) => [part, String(value)]),
  );
  const body = takesBody(declared)
    ? { ...(ours.bodies[name] ?? BODIES[name] ?? {}), ...sent.body }
    : undefined;
  const path = `${pathOf(operation, sent.project ?? 1)}?${query}`;
  return service.api(declared.method, path, body, {
    key: sent.key ?? null,
    ...(sent.headers && { headers: sent.headers }),
  });
}

type Reply = Awaited<ReturnType<typeof call>>;

/** What is wrong with an answer, or nothing. */
function findFault(operation: Operation, state: State, reply: Reply): string | null {
  const { declared } = operation;
  const expected = expectedOf(operation, state);
  const got = `${reply.status} ${reply.json?.code ?? ""} ${reply.json?.detail ?? ""}`;
  const shows = (mark: string) => reply.text.includes(mark);
  if (expected.outcome === "refused") {
    const isSaid = reply.json?.detail?.includes(expected.detail ?? "");
    if (reply.status !== expected.status || reply.json?.code !== expected.code || !isSaid)
      return `${got}instead of ${expected.status} ${expected.code}`;
    return shows(OURS) || shows(THEIRS) ? `a refusal that shows something: ${reply.text}` : null;
  }
  if (expected.outcome === "outside") {
    if (reply.status === 401 || reply.status >= 500) return `${got}instead of nothing of ours`;
    return shows(OURS) ? "something of ours" : null;
  }
  const opensOthers = ACROSS_PROJECTS.has(operation.name) && state.restricted !== "our project";
  if (shows(THEIRS) && !opensOthers) return "something of another project";
  if (finds(declared)) return reply.status === declared.status ? null : `${got}instead of ${declared.status}`;
  return reply.status === 401 || reply.status === 403 || reply.status >= 500
    ? `${got}instead of being let in`
    : null;
}

describe.each(OPERATIONS.map((operation) => [operation.name, operation] as const))("%s", (_, operation) => {
  const { declared } = operation;
  const about = (state: State) => expectedOf(operation, state).outcome;

  async function run(chosen: State[]): Promise<string[]> {
    const faults: string[] = [];
    for (const state of chosen) {
      const fault = findFault(operation, state, await call(operation, state.sent(operation)));
      if (fault) faults.push(`${state.name}: ${fault}`);
    }
    return faults;
  }
  const statesOf = (outcomes: Expected["outcome"][]) =>
    states.filter((state) => (state.applies?.(declared) ?? true) && outcomes.includes(about(state)));

  it("refuses whom it has to, and writes nothing for them", async () => {
    const before = await contents();
    expect(await run(statesOf(["refused"]))).toEqual([]);
    expect(await contents()).toEqual(before);
  });

  it("lets in everybody else, to what is theirs", async () => {
    expect(await run(statesOf(["outside", "admitted"]))).toEqual([]);
  });

  if (onlyReads(declared))
    it("changes nothing that somebody has written", async () => {
      const before = await contents();
      const read = async () => {
        const reply = await call(operation, { key: readerKey });
        expect(reply.status, reply.text).toBe(finds(declared) ? declared.status : 404);
      };
      await read();
      expect(await contents()).toEqual(before);
      // Up to date, figures note when that was; nothing is added.
      const derived = await derivedRows();
      await read();
      expect(await derivedRows()).toEqual(derived);
    });
});
