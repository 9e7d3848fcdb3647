import type { CompiledFlags } from "#lib/engines/evaluation/compiled.ts";
import { evaluateFlag } from "#lib/engines/evaluation/evaluate.ts";
import { explainFlag, type FlagExplanation } from "#lib/engines/evaluation/explain.ts";
import type { Evaluation, Subject } from "#lib/engines/evaluation/values/types.ts";
import type { MemberContext } from "#lib/flags/context.ts";
import { readStates } from "#lib/flags/feature_flags/history/states.ts";
import { storableMoment } from "#lib/flags/feature_flags/rules.ts";
import { readDistinctIds } from "#lib/people/persons/service.ts";

import type { Input } from "#lib/platform/http/contract.ts";
import { invalid } from "#lib/platform/http/errors.ts";
import type { Snapshot } from "./definitions.ts";
import type { evaluateContract } from "./evaluate-contract.ts";
import { type Selection, subjectOf } from "./evaluation.ts";
import { selectGroups, selectPersons } from "./evaluation-store.ts";
import { compileProposed, type Proposal, readProposal } from "./proposal.ts";
import { outcomeText, setText, toSdkReason, variantText } from "./reasons.ts";

type Request = Input<(typeof evaluateContract)["evaluate"]>["body"];

/** Everything stored that any row could ask for: rows are explained even where something before them decided. */
function everythingFor(snapshot: Snapshot, key: string): Selection {
  const types = [...snapshot.group_types.indexes.keys()];
  const cohorts = [...snapshot.cohorts.byId.values()];
  return {
    keys: [key],
    needs: {
      person_properties: [],
      group_types: types,
      static_cohort_ids: cohorts.filter((cohort) => cohort.is_static).map(({ id }) => id),
      experience_continuity: true,
    },
    group_properties: new Set(types),
  };
}

/** The distinct id to evaluate for; null when no person is named. @throws ApiError 404 for an unknown UUID */
async function distinctIdOf(context: MemberContext, body: Request): Promise<string | null> {
  if (body.person_id === undefined) return body.distinct_id ?? null;
  const ids = await readDistinctIds(context, body.person_id);
  if (body.distinct_id === undefined) return ids.toSorted()[0] ?? null;
  if (!ids.includes(body.distinct_id))
    throw invalid("No person has this id.", "distinct_id", "does_not_exist");
  return body.distinct_id;
}

function checkSubject(
  body: Request,
  distinctId: string | null,
  snapshot: Snapshot,
  compiled: CompiledFlags,
  key: string,
) {
  const types = snapshot.group_types.indexes;
  for (const field of ["groups", "group_properties"] as const) {
    const unknown = Object.keys(body[field]).find((type) => !types.has(type));
    if (unknown !== undefined)
      throw invalid(`There is no group type ${unknown} in this project.`, field, "does_not_exist");
  }
  if (distinctId === null && !compiled.by_key.get(key)?.by_group)
    throw invalid(
      "This flag is evaluated for people: give a distinct_id or person_id.",
      "distinct_id",
      "required",
    );
}

/** Which of the named person and groups are stored. */
async function whoIsStored(
  context: MemberContext,
  snapshot: Snapshot,
  body: Request,
  distinctId: string | null,
) {
  const { db, project } = context;
  const named = Object.entries(body.groups);
  const found = new Set<string>();
  for (const [type, key] of named) {
    const index = snapshot.group_types.indexes.get(type) ?? -1;
    if ((await selectGroups(db, project.id, [{ index, key }])).length > 0) found.add(type);
  }
  const isStored = distinctId !== null && (await selectPersons(db, project.id, [distinctId])).length > 0;
  return {
    person: distinctId === null ? null : { distinct_id: distinctId, is_stored: isStored },
    groups: named.map(([type, key]) => ({ type, key, is_stored: found.has(type) })),
  };
}

function outcomeOf(outcome: Evaluation, explanation: FlagExplanation) {
  const unit = explanation.bucketing.by === "group" ? "group" : "person";
  const { value, variant, payload, reason, condition_index } = outcome;
  const decidedBySet =
    reason === "condition_match" || (reason === "out_of_rollout_bound" && !explanation.enrollment?.chosen);
  return {
    value,
    variant,
    payload: payload ?? null,
    reason: {
      code: toSdkReason(reason, value),
      condition_index,
      set: decidedBySet && condition_index !== null ? condition_index + 1 : null,
      text: outcomeText(outcome, explanation, unit),
    },
  } as const;
}

/** The flag as it would be if it were on: of one that is off, this is what can be explained. */
function compileOn(snapshot: Snapshot, compiled: CompiledFlags, proposal: Proposal): CompiledFlags {
  const { definition } = proposal;
  if (!definition || definition.active) return compiled;
  return compileProposed(snapshot, [{ ...proposal, definition: { ...definition, active: true } }]);
}

/** The flag as it was stored at a past moment. @throws ApiError 400 where there was none */
async function proposalAt(context: MemberContext, { stored, key }: Proposal, at: string): Promise<Proposal> {
  const moment = storableMoment(at, "at");
  if (moment > context.now) throw invalid("at must be in the past.", "at");
  const [state] = stored ? await readStates(context, stored, new Date(moment.getTime() + 1)) : [];
  if (!state?.definition) throw invalid("The flag did not exist at that time.", "at", "does_not_exist");
  return { stored, key: state.definition.key ?? key, definition: state.definition };
}

export async function evaluate(context: MemberContext, { body }: { body: Request }) {
  const { runtime, project, now } = context;
  if ((body.id ?? null) === null && !body.draft)
    throw invalid("Give the id of a stored flag, or send a draft.", "id", "required");
  if (body.at !== undefined && body.draft) throw invalid("A draft has no past: leave out at or draft.", "at");
  const snapshot = await runtime.definitions.project(project.id);
  const asked = await readProposal(context, snapshot, {
    // Nothing is evaluated of a deleted flag, but its draft is that of a flag that exists.
    ...(body.draft && { ...body.draft, deleted: false }),
    id: body.id,
  });
  const proposal = body.at === undefined ? asked : await proposalAt(context, asked, body.at);
  const { stored, key } = proposal;
  if (!proposal.definition) throw invalid("Deleted flags are not evaluated.", "id");
  const compiled =
    body.draft || body.at !== undefined ? compileProposed(snapshot, [proposal]) : snapshot.compiled;
  const distinctId = await distinctIdOf(context, body);
  checkSubject(body, distinctId, snapshot, compiled, key);
  const { person_properties, groups, group_properties } = body;
  const call = {
    distinct_id: distinctId ?? "",
    person_properties,
    groups,
    group_properties,
    now: body.at === undefined ? now.getTime() : Date.parse(body.at),
  };
  const on = compileOn(snapshot, compiled, proposal);
  const subject: Subject = body.use_stored
    ? await subjectOf(runtime, project.id, { ...snapshot, compiled: on }, everythingFor(snapshot, key), call)
    : call;
  const outcome = evaluateFlag(compiled, key, subject);
  const explanation = explainFlag(on, key, subject);
  if (!outcome || !explanation) throw new Error(`Flag ${stored?.id ?? key} was not compiled.`);
  const { bucketing, enrollment, holdouts, sets, variants } = explanation;
  const unit = bucketing.by === "group" ? "group" : "person";
  return {
    key,
    version: body.draft ? null : (proposal.definition.version ?? null),
    is_draft: Boolean(body.draft),
    ...outcomeOf(outcome, explanation),
    if_on: outcome.reason === "disabled" ? outcomeOf(explanation.outcome, explanation) : null,
    bucketing,
    enrollment,
    holdouts,
    sets: sets.map(({ index, ...set }) => ({
      set: index + 1,
      ...set,
      text: setText({ index, ...set }, explanation, unit),
    })),
    variants: variants && { ...variants, text: variantText(explanation) },
    ...(await whoIsStored(context, snapshot, body, distinctId)),
  };
}
