import type { FlagFindings } from "#components/change_requests/request-findings.tsx";
import { permitted } from "#lib/app/session/permitted.ts";
import type { ChangeRequest } from "#lib/approvals/change_requests/schema.ts";
import { isObject } from "#lib/engines/json.ts";
import { proveContract } from "#lib/flags/feature_flags/evaluation/prove-contract.ts";
import type { FlagChange } from "#lib/flags/feature_flags/schema.ts";
import { testCasesContract } from "#lib/flags/feature_flags/who_changes/pinned-cases-contract.ts";
import type { Client } from "#lib/platform/http/client.ts";
import { ApiError } from "#lib/platform/http/errors.ts";

const FLAG = /\/feature_flags\/(?:(\d+)\/?)?(?:\?.*)?$/;

/** The flag that a call of the API writes, and the fields that decide who gets what. */
function draftIn(call: unknown) {
  if (!isObject(call) || !isObject(call.body) || !isObject(call.body.filters)) return null;
  const found = FLAG.exec(String(call.path));
  if (!found) return null;
  const { key, filters } = call.body;
  return { id: found[1] ? Number(found[1]) : null, key, filters: filters as FlagChange["filters"] };
}

/** A read that may fail without failing the page: the flag may be another by now, the server busy. */
const tried = <T>(read: Promise<T>): Promise<T | null> =>
  permitted(read).catch((error: unknown) => {
    if (error instanceof ApiError && error.status !== 401) return null;
    throw error;
  });

/** What is found in the flags as a request would leave them. */
export function readFindings(
  api: Client,
  project_id: string,
  request: ChangeRequest,
): Promise<FlagFindings[]> {
  const drafts = request.intent.changes.flatMap((call) => draftIn(call) ?? []);
  const names = new Map(
    request.resources.map(({ resource, id, name }) => [`${resource}/${id}`, name] as const),
  );
  return Promise.all(
    drafts.map(async ({ id, key, filters }) => {
      const [proof, cases] = await Promise.all([
        tried(api.call(proveContract.prove, { params: { project_id }, body: { id, draft: { filters } } })),
        id === null
          ? null
          : tried(
              api.call(testCasesContract.check_test_cases, {
                params: { project_id, id: String(id) },
                body: { filters },
              }),
            ),
      ]);
      return {
        key: names.get(`feature_flag/${id}`) ?? String(key ?? "the new flag"),
        is_checked: proof !== null && (id === null || cases !== null),
        findings: proof?.findings ?? [],
        cases: cases?.results ?? [],
      };
    }),
  );
}
