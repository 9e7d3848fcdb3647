import type { Flag } from "#lib/flags/feature_flags/cache.ts";
import type { Snapshot } from "#lib/flags/feature_flags/evaluation/definitions.ts";
import { type Selection, selectionOf } from "#lib/flags/feature_flags/evaluation/evaluation.ts";
import { isSurveyFlag } from "#lib/flags/feature_flags/schema.ts";
import type { FlagsCall } from "./call.ts";

type Filter = Pick<FlagsCall, "contexts" | "keys" | "runtime" | "surveys_only">;

/** Selections by request, as long as their snapshot lives; lists of keys are the callers' own. */
const remembered = new WeakMap<Snapshot, Map<string, Selection>>();

const servesSurveys = (flag: Flag) => flag.targets_survey || flag.surveys.length > 0 || isSurveyFlag(flag);

function admits(flag: Flag, filter: Filter, contexts: ReadonlySet<string> | null): boolean {
  const runtime = flag.evaluation_runtime;
  if (filter.runtime && runtime && runtime !== "all" && runtime !== filter.runtime) return false;
  if (filter.surveys_only && !servesSurveys(flag)) return false;
  return (
    !contexts || flag.evaluation_tags.length === 0 || flag.evaluation_tags.some((tag) => contexts.has(tag))
  );
}

/** The flags of a snapshot that a caller gets to see. */
export function selectFor(snapshot: Snapshot, filter: Filter): Selection {
  const contexts = filter.contexts?.length ? new Set(filter.contexts) : null;
  const name = filter.keys || contexts ? null : `${filter.runtime}/${filter.surveys_only}`;
  const known = remembered.get(snapshot) ?? new Map<string, Selection>();
  remembered.set(snapshot, known);
  const found = name === null ? undefined : known.get(name);
  if (found) return found;
  const wanted = filter.keys && new Set(filter.keys);
  const { live } = snapshot.flags;
  const admitted = live.filter((flag) => (!wanted || wanted.has(flag.key)) && admits(flag, filter, contexts));
  const keys = admitted.length === live.length ? null : admitted.map((flag) => flag.key);
  const selection = selectionOf(snapshot.compiled, keys);
  if (name !== null) known.set(name, selection);
  return selection;
}
