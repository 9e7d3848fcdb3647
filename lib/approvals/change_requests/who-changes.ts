import type { CallingContext } from "#lib/approvals/context.ts";
import { changedPayloads, comparedOf, concernsAll, type Pair } from "#lib/approvals/gate/impact.ts";
import { compileWorld, worldOf } from "#lib/approvals/gate/world.ts";
import { evaluateFlag } from "#lib/engines/evaluation/evaluate.ts";
import type { Subject } from "#lib/engines/evaluation/values/types.ts";
import { isSurveyFlag } from "#lib/flags/feature_flags/schema.ts";
import { type Comparison, type Counted, count } from "#lib/flags/feature_flags/who_changes/counting.ts";
import { listGroups, listPeople, type Sought } from "#lib/flags/feature_flags/who_changes/who-changes.ts";
import type { Input } from "#lib/platform/http/contract.ts";
import { invalid, notFound } from "#lib/platform/http/errors.ts";
import { answerWithProgress } from "#lib/platform/progress.ts";
import type { changeRequestContract } from "./contract.ts";
import { found, shownOf } from "./requests.ts";

type Of<Name extends keyof typeof changeRequestContract> = Input<(typeof changeRequestContract)[Name]>;

/** The flags of a request, without those of surveys, as they were last approved and as they would be, ready to be evaluated. */
async function comparisonOf(context: CallingContext, id: string) {
  const { states, impact } = shownOf(await found(context, id));
  if (!states) throw invalid("This request was made by an earlier release: revise it to see its people.");
  const { group_types } = await context.runtime.definitions.project(context.project.id);
  const [before, after] = [states.before, states.after].map((each) => worldOf(new Map(Object.entries(each))));
  if (!before || !after) throw new Error("There are two states.");
  const known = impact.flags.filter((flag) => !isSurveyFlag(flag));
  const pairs = known.map(
    (flag): Pair => ({
      id: flag.id,
      before: before.flags.get(flag.id) ?? null,
      after: after.flags.get(flag.id) ?? null,
    }),
  );
  const set: Comparison = {
    snapshot: { group_types },
    changes: pairs.map(comparedOf),
    before: compileWorld(before, group_types),
    after: compileWorld(after, group_types),
    dependents: [],
  };
  return { set, pairs, shown: known };
}

export async function who_changes(context: CallingContext, { params }: Of<"who_changes">) {
  const { headers, project, runtime } = context;
  const { set, pairs, shown } = await comparisonOf(context, params.id);
  const answerOf = ({ counts, as_of }: Counted) => ({
    as_of,
    flags: pairs.flatMap((pair, place) => {
      const [counted, flag] = [counts[place], shown[place]];
      if (!counted || !flag) return [];
      const payloads = changedPayloads(pair);
      const cells = counted.cells.map((cell) => ({
        ...cell,
        is_changed: (cell.before ?? false) !== (cell.after ?? false) || payloads.has(String(cell.after)),
      }));
      const changed = cells.reduce((sum, cell) => sum + (cell.is_changed ? cell.count : 0), 0);
      const { id, key, is_written, group_type_index } = flag;
      const { total } = counted;
      // Of another unit or runtime, values before and after say nothing.
      return concernsAll(pair)
        ? [{ id, key, is_written, group_type_index, total, changed: total, cells: [] }]
        : [{ id, key, is_written, group_type_index, total, changed, cells }];
    }),
  });
  return answerWithProgress(headers, runtime.counting(project.id), async function* () {
    for await (const { answer, ...progress } of count(context, set, { after: null, isWhole: true }))
      yield { ...progress, answer: () => answerOf(answer()) };
  });
}

/** Those who are behind one count of a request. */
async function soughtIn(
  context: CallingContext,
  id: string,
  { flag, before, after }: Pick<Of<"who_changes_groups">["body"], "flag" | "before" | "after">,
): Promise<Sought & { index: number | null }> {
  const { set, pairs } = await comparisonOf(context, id);
  const place = pairs.findIndex((pair) => pair.id === flag);
  const [compared, pair] = [set.changes[place], pairs[place]];
  if (!compared || !pair) throw notFound();
  const valueIn = (flags: Comparison["before"], key: string | undefined, subject: Subject) =>
    (key === undefined ? undefined : evaluateFlag(flags, key, subject)?.value) ?? null;
  return {
    set: { ...set, changes: [compared] },
    index: compared.group_type_index,
    holds: (subject) =>
      valueIn(set.before, pair.before?.key, subject) === before &&
      valueIn(set.after, pair.after?.key, subject) === after,
  };
}

export async function who_changes_people(
  context: CallingContext,
  { params, query, body: { after_person, ...cell } }: Of<"who_changes_people">,
) {
  const sought = await soughtIn(context, params.id, cell);
  if (sought.index !== null)
    throw invalid("This flag is decided per group: there are no people to list.", "flag");
  return listPeople(context, sought, query, after_person);
}

export async function who_changes_groups(
  context: CallingContext,
  { params, query, body }: Of<"who_changes_groups">,
) {
  const sought = await soughtIn(context, params.id, body);
  if (sought.index === null)
    throw invalid("This flag is decided per person: there are no groups to list.", "flag");
  return listGroups(context, sought, query, sought.index);
}
