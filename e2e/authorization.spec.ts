import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type APIRequestContext, expect, request as playwrightRequest, test } from "@playwright/test";
import { SCOPE_OBJECTS } from "#lib/platform/http/contract.ts";
import { type FilledProject, fillProject } from "#testing/every-resource.ts";
import { PERSONAL_API_KEY } from "./playwright.config.ts";
import { apiOf, newProject } from "./service.ts";

/**
 * Every page, file and server action of the dashboard with every state of a session. Pages and files are those in
 * `app/`, actions those of the build: a new one is in here by itself.
 */
const ROOT = join(import.meta.dirname, "..");
const COOKIE = "switchyard_session";
/** Every text of the project contains it. */
const MARK = "fencedmark";

/** What anybody may open: signing in, and the browser's way to the API, which asks for the session itself. */
const OPEN_PAGES = ["sign-in/page.tsx", "sign-in/forget/route.ts"];
const OPEN_ACTIONS = ["signInAction", "signInAgainAction", "signOutAction"];
/** Served by the API, or by paths that only the API knows: see lib/app/authorization.test.ts. */
const API_MOUNTS = ["api/[[...path]]/route.ts", "bff/[...path]/route.ts"];

const FILES = globSync("**/{page.tsx,route.ts}", { cwd: join(ROOT, "app") })
  .filter((file) => ![...OPEN_PAGES, ...API_MOUNTS].includes(file))
  .sort();

type Action = { id: string; name: string; file: string; page: string };

function actionsOfTheBuild(): Action[] {
  const manifest: {
    node: Record<string, { filename: string; exportedName: string; workers: Record<string, unknown> }>;
  } = JSON.parse(readFileSync(join(ROOT, ".next/server/server-reference-manifest.json"), "utf8"));
  return Object.entries(manifest.node).map(([id, { filename, exportedName, workers }]) => ({
    id,
    name: exportedName,
    file: filename,
    page: `${Object.keys(workers)[0]?.replace(/^app\//, "")}.tsx`,
  }));
}

/** The names of an action's parameters. */
function parametersOf({ file, name }: Action): string[] {
  const source = readFileSync(join(ROOT, file), "utf8");
  const [, list = ""] =
    new RegExp(`export async function ${name}\\(([\\s\\S]*?)\\)(?:: [^{]+)? \\{`).exec(source) ?? [];
  const flat = list.replace(/\{[^{}]*\}/g, "").replace(/<[^<>]*>/g, "");
  return flat
    .split(",")
    .map((each) => (each.split(":")[0] ?? "").trim())
    .filter(Boolean);
}

let filled: FilledProject;
let organization: string;
/** What browsers say that our own pages are at. */
let origin = "";
/** Cookies by the state of the session that they are of. */
const cookies: Record<string, string> = {};

/** Signs in with a key as the form does. */
async function cookieFor(key: string): Promise<string> {
  // A browser of its own: signing in again in the same one ends the session before.
  const browser = await playwrightRequest.newContext({ baseURL: origin });
  const signIn = actionsOfTheBuild().find(({ name }) => name === "signInAction");
  // The form's fields come before the arguments that name it.
  const form = new FormData();
  form.append("_1_api_key", key);
  form.append("0", '[{},"$K1"]');
  const answer = await browser.post("/sign-in", {
    maxRedirects: 0,
    headers: { "next-action": signIn?.id ?? "", origin: origin },
    multipart: form,
  });
  const found = new RegExp(`${COOKIE}=([^;]+)`).exec(answer.headers()["set-cookie"] ?? "")?.[1];
  if (!found) throw new Error(`Signing in: ${answer.status()} ${await answer.text()}`);
  await browser.dispose();
  return found;
}

test.beforeAll(async ({ request, baseURL }) => {
  origin = baseURL ?? "";
  const api = apiOf(request);
  const project = await newProject(api, `${MARK} project`);
  const other = await newProject(api, "Next to the fence");
  filled = await fillProject(
    async (method, path, body) => {
      const answer = await request.fetch(path, {
        method,
        headers: { authorization: `Bearer ${PERSONAL_API_KEY}` },
        ...(body !== undefined && { data: body }),
      });
      const text = await answer.text();
      return { status: answer.status(), text, json: text && JSON.parse(text) };
    },
    project.id,
    MARK,
  );
  organization = (await api("GET", "/api/organizations/@current/")).id;
  const keyWith = async (fields: object) =>
    (await api("POST", "/api/personal_api_keys/", { label: "Fence", scopes: ["*"], ...fields })).value;
  cookies.right = await cookieFor(await keyWith({}));
  cookies.elsewhere = await cookieFor(await keyWith({ scoped_teams: [other.id] }));
  const reads = SCOPE_OBJECTS.map((object) => `${object}:read`);
  cookies.reader = await cookieFor(await keyWith({ scopes: reads }));
  cookies.ended = await cookieFor(await keyWith({}));
  const signOut = actionsOfTheBuild().find(({ name }) => name === "signOutAction");
  await request.post("/sign-in", {
    maxRedirects: 0,
    headers: {
      cookie: `${COOKIE}=${cookies.ended}`,
      origin: origin,
      "next-action": signOut?.id ?? "",
    },
    data: "[]",
  });
  const revoked = await api("POST", "/api/personal_api_keys/", { label: "Gone", scopes: ["*"] });
  cookies.revoked = await cookieFor(revoked.value);
  await request.delete(`/api/personal_api_keys/${revoked.id}/`, {
    headers: { authorization: `Bearer ${PERSONAL_API_KEY}` },
  });
  cookies.forged = `${cookies.right.slice(0, -4)}AAAA`;
});

/** The id that stands for a parameter: of the folder before it, or of its own name. */
function idFor(folder: string, name: string): string {
  const byName: Record<string, string | number | undefined> = {
    project_id: filled.id,
    holdout_id: filled.ids.experiment_holdouts,
  };
  const id = byName[name] ?? filled.ids[name] ?? filled.ids[folder];
  if (id === undefined) throw new Error(`What is [${name}] of ${folder}?`);
  return String(id);
}

const partsOf = (file: string): string[] => file.split("/").slice(0, -1);
const addressOf = (file: string): string =>
  `/${partsOf(file)
    .map((part, at, all) => (part.startsWith("[") ? idFor(all[at - 1] ?? "", part.slice(1, -1)) : part))
    .join("/")}`;

/** What a browser says that it holds already when it asks for a page alone, without the layouts around it. */
function treeOf(file: string): string {
  const tree = partsOf(file).reduceRight<unknown[]>(
    (inner, part, at) => {
      const name = part.slice(1, -1);
      const segment = part.startsWith("[")
        ? [name, idFor(partsOf(file)[at - 1] ?? "", name), "d", null]
        : part;
      return [segment, { children: inner }, null, null];
    },
    ["__PAGE__", {}, null, "refetch"],
  );
  return encodeURIComponent(JSON.stringify(["", { children: tree }, null, null]));
}

/** What a page shows of its record; an erasure says nothing of whom it was about. */
const shownBy = (file: string): string => (file.includes("/erasures/[id]/") ? idFor("erasures", "id") : MARK);

/** The ways in which browsers ask for a page. */
const WAYS = ["whole", "data", "part"] as const;

function headersFor(way: (typeof WAYS)[number], file: string): Record<string, string> {
  if (way === "whole") return {};
  return { rsc: "1", ...(way === "part" && { "next-router-state-tree": treeOf(file) }) };
}

async function open(
  request: APIRequestContext,
  file: string,
  way: (typeof WAYS)[number],
  cookie: string | undefined,
) {
  const isPosted = /export async function POST/.test(readFileSync(join(ROOT, "app", file), "utf8"));
  const ask = (path: string) =>
    request.fetch(path, {
      method: isPosted ? "POST" : "GET",
      maxRedirects: 0,
      headers: {
        ...headersFor(way, file),
        ...(isPosted && { origin }),
        ...(cookie && { cookie: `${COOKIE}=${cookie}` }),
      },
    });
  const first = await ask(addressOf(file));
  // Data of a page is at an address of its own, which the server tells.
  const { location = "" } = first.headers();
  const answer = location.startsWith(`${addressOf(file)}?_rsc`) ? await ask(location) : first;
  return {
    status: answer.status(),
    location: answer.headers().location ?? "",
    text: await answer.text(),
  };
}

test.describe("every page and file", () => {
  for (const file of FILES) {
    test(`${file} is for those who are signed in to its project`, async ({ request }) => {
      const isPage = file.endsWith("page.tsx");
      for (const way of isPage ? WAYS : (["whole"] as const)) {
        const seen = await open(request, file, way, cookies.right);
        expect(seen.status, `${way}, signed in: ${seen.text.slice(0, 200)}`).toBeLessThan(400);
        expect(seen.location, `${way}, signed in`).not.toContain("/sign-in");
        // What is asked for in this way does show the record, to those who may see it.
        if (/\[project_id\].*\[/.test(file)) expect(seen.text, `${way}, signed in`).toContain(shownBy(file));
        for (const state of ["none", "forged", "ended", "revoked"]) {
          const { status, location, text } = await open(request, file, way, cookies[state]);
          expect(text, `${way}, ${state}`).not.toContain(MARK);
          const leadsToSignIn = location.includes("/sign-in") || text.includes("/sign-in");
          expect(leadsToSignIn || status === 401, `${way}, ${state}: ${status} ${text.slice(0, 200)}`).toBe(
            true,
          );
        }
        if (!file.includes("[project_id]")) continue;
        const elsewhere = await open(request, file, way, cookies.elsewhere);
        expect(elsewhere.text, `${way}, a key of another project`).not.toContain(MARK);
        expect(elsewhere.status, `${way}, a key of another project`).toBeLessThan(500);
      }
    });
  }
});

/** Keys and members belong to the organization, in which other journeys make some meanwhile. */
const OF_ORGANIZATION = ["PersonalAPIKey", "OrganizationMembership"];

type Listed = { results?: { scope?: string; joined_at?: string }[]; count?: number; total_count?: number };

/** When figures were brought up to date is nobody's change. */
const withoutUpdates = (key: string, value: unknown) => (/^last_\w+_at$/.test(key) ? undefined : value);

function withoutOtherJourneys(text: string, began: Date): Listed {
  const { count, total_count, ...rest }: Listed = JSON.parse(text, withoutUpdates);
  const results = rest.results?.filter(
    ({ scope = "", joined_at = "" }) => !OF_ORGANIZATION.includes(scope) && joined_at < began.toISOString(),
  );
  return { ...rest, results };
}

/** What of the project there is to change, and who was a member when the test began. */
async function stateOf(request: APIRequestContext, began: Date): Promise<Listed[]> {
  const folders = [
    ...["feature_flags", "experiments", "experiment_holdouts", "experiment_saved_metrics", "surveys"],
    ...["cohorts", "dashboards"],
  ];
  const root = `/api/projects/${filled.id}`;
  const paths = [
    `${root}/`,
    ...folders.map((folder) => `${root}/${folder}/`),
    `${root}/activity_log/?limit=1000`,
    `${root}/feature_flags/${filled.ids.feature_flags}/test_cases/`,
    `${root}/surveys/${filled.ids.surveys}/responses/`,
    `/api/organizations/${organization}/members/`,
  ];
  const texts = paths.map(async (path) => {
    const headers = { authorization: `Bearer ${PERSONAL_API_KEY}` };
    return (await request.get(path, { headers })).text();
  });
  return (await Promise.all(texts)).map((text) => withoutOtherJourneys(text, began));
}

function argumentFor({ file }: Action, name: string): unknown {
  if (name === "project_id") return String(filled.id);
  if (name === "organization_id") return organization;
  if (name === "trial")
    return { method: "GET", path: `/api/projects/${filled.id}/feature_flags/`, query: {}, body: null };
  if (name === "response_id") return filled.ids.response_id;
  if (name === "testCaseId") return filled.ids.test_case_id;
  const folders: Record<string, string> = {
    holdouts: "experiment_holdouts",
    saved_metrics: "experiment_saved_metrics",
  };
  const folder =
    partsOf(file)
      .filter((part) => !part.startsWith("["))
      .at(-1) ?? "";
  if (name === "id") return filled.ids[folders[folder] ?? folder] ?? "0197d6a0-0000-7000-8000-000000000000";
  if (name === "person_id") return filled.ids.persons;
  if (name === "verb") return "comment";
  if (name === "action") return "pause";
  if (/s$/.test(name)) return [];
  return /^(deleted|hidden)$/.test(name) ? true : { name: "changed", id: filled.ids[folder] };
}

async function act(request: APIRequestContext, action: Action, cookie: string | undefined, from: string) {
  const answer = await request.post(addressOf(action.page), {
    maxRedirects: 0,
    headers: {
      origin: from,
      "content-type": "text/plain;charset=UTF-8",
      "next-action": action.id,
      ...(cookie && { cookie: `${COOKIE}=${cookie}` }),
    },
    data: JSON.stringify(parametersOf(action).map((name) => argumentFor(action, name))),
  });
  const headers = answer.headers();
  const leadsTo = headers.location ?? headers["x-action-redirect"] ?? "";
  return { status: answer.status(), leadsTo, text: await answer.text() };
}

test.describe("every server action", () => {
  test("that is written is in the build, and its parameters are known", () => {
    const written = globSync("app/**/actions.ts", { cwd: ROOT }).flatMap((file) => {
      const source = readFileSync(join(ROOT, file), "utf8");
      expect(source, file).toContain('"use server"');
      return [...source.matchAll(/^export async function (\w+)/gm)].map(([, name]) => `${file} ${name}`);
    });
    const built = actionsOfTheBuild();
    expect(built.map(({ file, name }) => `${file} ${name}`).sort()).toEqual(written.sort());
    for (const action of built.filter(({ id }) => !id.startsWith("00")))
      expect(parametersOf(action), `${action.file} ${action.name}`).not.toEqual([]);
  });

  test("refuses whoever is not signed in to the project, and changes nothing for them", async ({
    request,
  }) => {
    const began = new Date();
    const before = await stateOf(request, began);
    for (const action of actionsOfTheBuild()) {
      if (OPEN_ACTIONS.includes(action.name)) continue;
      const about = `${action.file} ${action.name}`;
      for (const state of ["none", "forged", "ended", "revoked"]) {
        const { status, leadsTo, text } = await act(request, action, cookies[state], origin);
        expect(status, `${about}, ${state}: ${text.slice(0, 300)}`).toBeLessThan(500);
        const isRefused =
          leadsTo.includes("/sign-in") || /"status":401|not_authenticated|\/sign-in/.test(text);
        expect(isRefused, `${about}, ${state}: ${status} ${text.slice(0, 300)}`).toBe(true);
        expect(text, `${about}, ${state}`).not.toContain(MARK);
      }
      const foreign = await act(request, action, cookies.right, "https://elsewhere.example");
      expect(foreign.status, `${about}, from another origin`).toBe(403);
      const elsewhere = await act(request, action, cookies.elsewhere, origin);
      expect(elsewhere.status, `${about}, a key of another project`).toBeLessThan(500);
      expect(elsewhere.text, `${about}, a key of another project`).not.toContain(MARK);
      const reader = await act(request, action, cookies.reader, origin);
      expect(reader.status, `${about}, a key that only reads`).toBeLessThan(500);
    }
    expect(await stateOf(request, began)).toEqual(before);
  });
});
