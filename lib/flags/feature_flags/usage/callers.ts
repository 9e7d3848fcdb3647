import type { MemberContext } from "#lib/flags/context.ts";
import { flagOf } from "#lib/flags/feature_flags/service.ts";
import { readPersonNames } from "#lib/people/persons/service.ts";
import { latestHorizon } from "#lib/people/retention/horizons.ts";
import { selectHorizons } from "#lib/people/retention/horizons-store.ts";
import type { Input } from "#lib/platform/http/contract.ts";
import { instant } from "#lib/platform/http/instant.ts";
import { neighbours } from "#lib/platform/http/paging.ts";
import { type CallSpan, countCallers, selectCallers } from "./callers-store.ts";
import { daysUntil } from "./usage.ts";
import type { usageContract } from "./usage-contract.ts";

type Of<Name extends keyof typeof usageContract> = Input<(typeof usageContract)[Name]>;

/** What PostHog's SDKs call themselves in the events that they send. */
const KNOWN_SDKS = new Set([
  "web",
  "js",
  "posthog-js-lite",
  "posthog-node",
  "posthog-edge",
  "posthog-python",
  "posthog-ruby",
  "posthog-php",
  "posthog-go",
  "posthog-java",
  "posthog-server",
  "posthog-dotnet",
  "posthog-elixir",
  "posthog-rs",
  "posthog-ios",
  "posthog-android",
  "posthog-flutter",
  "posthog-react-native",
  "posthog-unity",
]);

const numbersOf = (version: string) => version.split(/[.+-]/).map((part) => Number.parseInt(part, 10) || 0);

/** Compares versions by their numbers. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [numbersOf(a), numbersOf(b)];
  for (let place = 0; place < Math.max(left.length, right.length); place++) {
    const difference = (left[place] ?? 0) - (right[place] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

const DAY_MS = 86_400_000;

/** The days of a request, from the first midnight to the last. */
function spanOf({ project, now }: MemberContext, key: string, count: number): CallSpan {
  const days = daysUntil(now, count);
  const [first = "", last = ""] = [days[0], days.at(-1)];
  return { project_id: project.id, key, from: new Date(first), to: new Date(Date.parse(last) + DAY_MS) };
}

/** Up to when calls were deleted, where that is within the days; null: all of them are there. */
async function deletedBefore({ db, project }: MemberContext, { from }: CallSpan): Promise<Date | null> {
  const horizon = latestHorizon(await selectHorizons(db, project.id), ["$feature_flag_called"]);
  return horizon && horizon > from ? horizon : null;
}

export async function callers(context: MemberContext, { params, query }: Of<"callers">) {
  const flag = await flagOf(context, params.id);
  const span = spanOf(context, flag.key, query.days);
  const [rows, deleted] = await Promise.all([countCallers(context.db, span), deletedBefore(context, span)]);
  const sdks = rows.filter(({ kind }) => kind === "sdk");
  const newest = new Map<string, string>();
  for (const { lib, lib_version } of sdks)
    if (compareVersions(lib_version, newest.get(lib) ?? "") > 0) newest.set(lib, lib_version);
  const stateOf = (lib: string, version: string) => {
    if (!KNOWN_SDKS.has(lib)) return "unknown" as const;
    return compareVersions(version, newest.get(lib) ?? "") < 0 ? ("older" as const) : ("current" as const);
  };
  const all = rows.find(({ kind }) => kind === "all");
  return {
    since: instant(span.from),
    calls: all?.calls ?? 0,
    people: all?.people ?? 0,
    responses: rows
      .filter(({ kind }) => kind === "response")
      .map(({ response, calls, people, last }) => ({
        response,
        calls,
        people,
        last_called_at: instant(new Date(last)),
      }))
      .sort((a, b) => b.calls - a.calls || (a.response < b.response ? -1 : 1)),
    sdks: sdks
      .map(({ lib, lib_version, calls, people, last }) => ({
        lib,
        lib_version,
        state: stateOf(lib, lib_version),
        calls,
        people,
        last_called_at: instant(new Date(last)),
      }))
      .sort((a, b) => b.calls - a.calls || (a.lib + a.lib_version < b.lib + b.lib_version ? -1 : 1)),
    deleted_before: deleted && instant(deleted),
  };
}

export async function callers_people(context: MemberContext, { params, query }: Of<"callers_people">) {
  const flag = await flagOf(context, params.id);
  const { days, limit, offset, ...chosen } = query;
  const found = await selectCallers(context.db, spanOf(context, flag.key, days), chosen, { limit, offset });
  const names = await readPersonNames(
    context,
    found.callers.flatMap(({ person_id }) => person_id ?? []),
  );
  return {
    count: found.count,
    ...neighbours(context.url, query, found.count),
    results: found.callers.map(({ person_id, distinct_id, calls, last }) => {
      const person = person_id === null ? undefined : names.get(person_id);
      return {
        person: person?.id ?? null,
        name: person?.name ?? distinct_id,
        distinct_id,
        calls,
        last_called_at: instant(new Date(last)),
      };
    }),
  };
}
