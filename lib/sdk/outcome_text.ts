import type { Evaluation, ReasonCode } from "#lib/evaluation/types.ts";

const CODES: Partial<Record<ReasonCode, string>> = { disabled: "flag_disabled" };

const DESCRIPTIONS: Record<ReasonCode, string> = {
  condition_match: "Matched condition set",
  no_condition_match: "No matching condition set",
  out_of_rollout_bound: "Out of rollout bound",
  no_group_type: "No group of this type was given",
  super_condition_value: "Super condition value",
  holdout_condition_value: "Holdout condition value",
  missing_dependency: "A flag that this one depends on is missing",
  disabled: "Feature flag is disabled",
  inconclusive: "Not decidable",
  requires_server: "Not decidable",
};

/** A payload as SDKs take it: text that holds JSON. */
export const payloadText = (payload: unknown): string | null =>
  payload === null || payload === undefined
    ? null
    : typeof payload === "string"
      ? payload
      : JSON.stringify(payload);

/** Why, in the form of `POST /flags`. */
export const reasonOf = ({ reason, condition_index }: Evaluation) => ({
  code: CODES[reason] ?? reason,
  condition_index,
  description:
    reason === "condition_match"
      ? `${DESCRIPTIONS[reason]} ${(condition_index ?? 0) + 1}`
      : DESCRIPTIONS[reason],
});

const texts = new WeakMap<Evaluation, string>();

/** One flag of `POST /flags?v=2`, its key and a colon first: the same outcome is written once. */
export function outcomeText(evaluation: Evaluation): string {
  const known = texts.get(evaluation);
  if (known !== undefined) return known;
  const { key, id, version, value, variant, payload } = evaluation;
  const record = {
    key,
    enabled: value !== false,
    variant,
    reason: reasonOf(evaluation),
    metadata: { id, version, description: null, payload: payloadText(payload) },
  };
  const text = `${JSON.stringify(key)}:${JSON.stringify(record)}`;
  texts.set(evaluation, text);
  return text;
}

/** The flags of `POST /flags?v=2`, as the text of an object. */
export function outcomesText(evaluations: readonly Evaluation[]): string {
  let text = "{";
  for (let i = 0; i < evaluations.length; i++) {
    if (i > 0) text += ",";
    text += outcomeText(evaluations[i] as Evaluation);
  }
  return `${text}}`;
}
