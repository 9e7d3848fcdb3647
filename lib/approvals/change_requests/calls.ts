import { z } from "zod";
import type { Call, CallingContext, CallingRuntime } from "#lib/approvals/context.ts";
import { isObject } from "#lib/engines/json.ts";
import { decrypt, encrypt, redactFilters } from "#lib/flags/feature_flags/filters/payloads.ts";
import { requireScope } from "#lib/platform/http/auth.ts";
import { type Contract, type Endpoint, onlyReads, type Scope } from "#lib/platform/http/contract.ts";
import { invalid } from "#lib/platform/http/errors.ts";
import { approvalNeeded, type ProposedChange } from "./schema.ts";

const storedCalls = z.array(
  z.object({
    operation: z.string(),
    params: z.record(z.string(), z.string()),
    query: z.record(z.string(), z.string()),
    // A call that was held may have had none.
    body: z.unknown().optional(),
  }),
);

const PROTECTED = new Set(["feature_flag:write", "experiment:write", "survey:write", "cohort:write"]);

/** Calls that only take something back, which must not wait. */
const NEVER_HELD = new Set(["/api/projects/{project_id}/ramps/{id}/roll_back/"]);

/** Whether policies can hold a call: it writes what they protect. */
export const isProtected = (declared: Endpoint): boolean =>
  !onlyReads(declared) &&
  // Always refused.
  declared.status !== 405 &&
  declared.path.startsWith("/api/projects/{project_id}/") &&
  !declared.path.startsWith("/api/projects/{project_id}/change_requests/") &&
  !NEVER_HELD.has(declared.path) &&
  PROTECTED.has(declared.scope ?? "");

/** The operations of some contracts. */
export const operationsOf = (contracts: Readonly<Record<string, Contract>>): CallingRuntime["operations"] =>
  new Map(
    Object.entries(contracts).flatMap(([resource, contract]) =>
      Object.entries(contract).map(([verb, declared]) => [`${resource}.${verb}`, declared] as const),
    ),
  );

const HELD = {
  202: {
    description: "A policy asks for approval: nothing was written, and a change request was made.",
    body: approvalNeeded,
  },
};

/** Contracts with the answer that policies give. */
export const withApprovals = (contracts: Readonly<Record<string, Contract>>): Record<string, Contract> =>
  Object.fromEntries(
    Object.entries(contracts).map(([resource, contract]) => [
      resource,
      Object.fromEntries(
        Object.entries(contract).map(([verb, declared]) => [
          verb,
          isProtected(declared) ? { ...declared, also: { ...declared.also, ...HELD } } : declared,
        ]),
      ),
    ]),
  );

const patternOf = (path: string) => new RegExp(`^${path.replace(/\{(\w+)\}/g, "(?<$1>[^/]+)")}?$`);

/** @throws ApiError 400 for a path that is not in this project, or that writes nothing that is protected */
export function callOf(context: CallingContext, { method, path, body }: ProposedChange, at: number): Call {
  const url = new URL(path, "http://localhost");
  for (const [operation, declared] of context.runtime.operations) {
    if (declared.method !== method || !isProtected(declared)) continue;
    const groups = patternOf(declared.path).exec(url.pathname)?.groups;
    if (!groups) continue;
    const { project_id = "", ...params } = groups;
    if (body?.dry_run === true) break;
    if (project_id !== "@current" && project_id !== String(context.project.id)) continue;
    requireScope(context.key, declared.scope);
    return { operation, params, query: Object.fromEntries(url.searchParams), body: body ?? {} };
  }
  throw invalid(
    `${method} ${path} is no call that writes a flag, cohort, experiment or survey of this project.`,
    `changes__${at}__path`,
  );
}

/** A call as the client would write it. */
export function shownCall(
  context: CallingContext,
  { operation, params, query, body }: Call,
  secret: boolean,
) {
  const declared = context.runtime.operations.get(operation);
  const named: Record<string, string> = { ...params, project_id: String(context.project.id) };
  const path = (declared?.path ?? operation).replace(/\{(\w+)\}/g, (_, name: string) => named[name] ?? "");
  const search = new URLSearchParams(query).toString();
  const shown =
    secret && isObject(body) && isObject(body.filters)
      ? { ...body, filters: redactFilters(body.filters) }
      : body;
  return { method: declared?.method ?? "", path: search ? `${path}?${search}` : path, body: shown };
}

/** The scopes that a key needs to make some calls. */
export const scopesOf = ({ runtime }: Pick<CallingContext, "runtime">, calls: readonly Call[]): Scope[] => [
  ...new Set(calls.flatMap(({ operation }) => runtime.operations.get(operation)?.scope ?? [])),
];

/** Calls as they are stored: payloads of flags can be secret. */
export const sealCalls = (calls: readonly Call[], key: Buffer): string => encrypt(JSON.stringify(calls), key);

/** @returns null where another key sealed them */
export function openCalls(sealed: string, key: Buffer): Call[] | null {
  const text = decrypt(sealed, key);
  return text === null ? null : storedCalls.parse(JSON.parse(text));
}
