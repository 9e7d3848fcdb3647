import { type FieldErrors, get, type Resolver, set } from "react-hook-form";
import type { z } from "zod";
import type { PlacedProblem } from "#components/kit/editor/json.ts";
import { isObject } from "#lib/engines/json.ts";
import { errorOf } from "#lib/platform/http/validation.ts";
import { kindOf } from "#lib/surveys/surveys/questions/question_kinds/kinds.ts";
import { linkProblem } from "#lib/surveys/surveys/questions/question_kinds/link.ts";
import { surveyCreate, surveyUpdate } from "#lib/surveys/surveys/schema.ts";
import type { QuestionDraft } from "./draft.ts";
import { bodyOf, creationOf, patchOf, type SurveyBody, type SurveyDraft } from "./survey-draft.ts";

/** Parts of the builder, as its tabs name them. */
export type Part = "questions" | "flow" | "audience" | "schedule" | "appearance" | "json";

const PARTS: Record<string, Part | null> = {
  // These are above the tabs.
  root: null,
  name: null,
  description: null,
  type: null,
  questions: "questions",
  conditions: "audience",
  linked_flag_id: "audience",
  targeting_flag_filters: "audience",
  appearance: "appearance",
};

/** The part of the builder that shows a place in the form; null if all of them do. */
export function partAt([field]: readonly (string | number)[]): Part | null {
  const part = PARTS[String(field)];
  return part === undefined ? "schedule" : part;
}

const isBlank = (text: unknown) => typeof text !== "string" || text.trim() === "";

function questionProblems({ raw, choices }: QuestionDraft, place: number): PlacedProblem[] {
  const at = (path: PlacedProblem["path"], message: string) => ({
    path: ["questions", place, ...path],
    message,
  });
  const link = raw.link ? linkProblem(raw.link) : null;
  const plain = { ...raw, choices: choices?.map(({ text }) => text) };
  return [
    ...(isBlank(raw.question) ? [at(["raw", "question"], "Enter the question.")] : []),
    ...(link ? [at(["raw", "link"], link)] : []),
    ...kindOf(plain)
      .problems(plain)
      .map(({ field, choice, message }) => at(placeOfField(field, choice), message)),
  ];
}

const placeOfField = (field: string, choice?: number): PlacedProblem["path"] => {
  if (choice !== undefined) return ["choices", choice, "text"];
  return field === "choices" ? ["choices", "root"] : ["raw", field];
};

/**
 * What prevents saving, each at its place in the form: what the API's schema refuses in the request, and mistakes in
 * questions.
 *
 * @param before the stored survey that the request changes; null for a new one
 */
export function problemsOf(draft: SurveyDraft, before: SurveyBody | null): PlacedProblem[] {
  const body = bodyOf(draft);
  const parsed = before
    ? surveyUpdate.safeParse(patchOf(before, body), { reportInput: true })
    : surveyCreate.safeParse(creationOf(body), { reportInput: true });
  const inQuestions = draft.questions.flatMap(questionProblems);
  const refused = (parsed.error?.issues ?? []).map((issue): PlacedProblem => {
    if (issue.path[0] === "name" && body.name === "")
      return { path: ["name"], message: "Give the survey a name." };
    const { attr, message } = errorOf({ issues: [issue] } as unknown as z.ZodError);
    return placeOfError({ attr, detail: message });
  });
  return [
    ...refused.filter(({ path }) => path[0] !== "questions" || inQuestions.length === 0),
    ...inQuestions,
  ];
}

/** Validates the form as the API would. @param before see `problemsOf` */
export const resolverFor =
  (before: SurveyBody | null): Resolver<SurveyDraft> =>
  (values) => {
    const errors: FieldErrors<SurveyDraft> = {};
    const problems = problemsOf(values, before);
    for (const { path, message } of problems)
      if (!get(errors, path.join("."))) set(errors, path.join("."), { type: "api", message });
    return problems.length > 0 ? { values: {}, errors } : { values, errors: {} };
  };

/** The errors of a form one by one, in the order of its fields. */
export function problemsIn(errors: object): PlacedProblem[] {
  const found: PlacedProblem[] = [];
  function walk(node: unknown, path: PlacedProblem["path"]): void {
    if (Array.isArray(node)) for (const [place, each] of node.entries()) walk(each, [...path, place]);
    else if (isObject(node)) {
      if (typeof node.message === "string") found.push({ path, message: node.message });
      else for (const [name, each] of Object.entries(node)) if (name !== "ref") walk(each, [...path, name]);
    }
  }
  walk(errors, []);
  return found;
}

type ApiProblem = { detail: string; attr: string | null; extra?: { path?: (string | number)[] } | undefined };

const FIELDS: [RegExp, PlacedProblem["path"]][] = [
  [/choice/i, ["choices", "root"]],
  [/link/i, ["raw", "link"]],
  [/descriptionContentType/i, ["raw", "description"]],
  [/loop|lead|branch|rule|reach/i, ["branching"]],
];

/** Where an error of the API belongs in the form; a question is found by its number in the message. */
export function placeOfError({ attr, detail: message, extra }: ApiProblem): PlacedProblem {
  const field = attr?.split("__")[0];
  const path = extra?.path ?? [];
  if (field === undefined) return { path: [/\bname\b/i.test(message) ? "name" : "root"], message };
  if (field === "questions") {
    const counted = /question (\d+)/i.exec(message)?.[1];
    const place = path.find((part) => typeof part === "number") ?? (counted ? Number(counted) - 1 : 0);
    const part = FIELDS.find(([pattern]) => pattern.test(message))?.[1] ?? ["raw", "question"];
    return { path: [field, Number(place), ...part], message };
  }
  if (field === "targeting_flag_filters")
    return { path: [field, ...path.filter((each) => each !== field)], message };
  return { path: [field], message };
}
