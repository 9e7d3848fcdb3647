import { linkProblem } from "#lib/surveys/questions.ts";
import { isObject, type Json, type QuestionDraft } from "./draft.ts";
import type { SurveyDraft } from "./survey_draft.ts";

/** Parts of the builder, as its tabs name them. */
export type Part = "questions" | "flow" | "audience" | "schedule" | "appearance" | "json";

/** Something wrong, and where: a field of the survey, or of one question. */
export type FieldProblem = {
  part: Part;
  /** Of the survey ("name"), or of the question ("question", "choices", "choice:<uid>", "link"). */
  field: string;
  /** Identity of the question; absent where it is about the survey. */
  uid?: string;
  /** Where in the filters of the audience. */
  path?: (string | number)[];
  message: string;
};

const isBlank = (text: unknown) => typeof text !== "string" || text.trim() === "";

function choiceProblems({ uid, choices, raw }: QuestionDraft): FieldProblem[] {
  if (raw.type !== "single_choice" && raw.type !== "multiple_choice") return [];
  const at = (field: string, message: string): FieldProblem => ({ part: "questions", uid, field, message });
  const texts = (choices ?? []).map((choice) => choice.text.trim().toLowerCase());
  const few = texts.length < 2 ? [at("choices", "A choice needs at least two things to choose from.")] : [];
  const each = (choices ?? []).flatMap((choice, place) => {
    const text = texts[place] ?? "";
    if (text === "") return [at(`choice:${choice.uid}`, "Write what can be chosen, or remove it.")];
    return texts.indexOf(text) < place
      ? [at(`choice:${choice.uid}`, "This choice stands above already: nobody could tell the answers apart.")]
      : [];
  });
  return [...few, ...each];
}

function lengthProblem({ uid, raw }: QuestionDraft): FieldProblem[] {
  const { least, most } = lengthsOf(raw.validation);
  if (least === null || most === null || least <= most) return [];
  const message = "Fewer characters are allowed than are asked for.";
  return [{ part: "questions", uid, field: "validation", message }];
}

/** What the rules of an open question say about the length of its answer. */
export function lengthsOf(validation: unknown): { least: number | null; most: number | null } {
  const rules = Array.isArray(validation) ? validation.filter(isObject) : [];
  const value = (type: string) => {
    const found = rules.find((rule: Json) => rule.type === type)?.value;
    return typeof found === "number" ? found : null;
  };
  return { least: value("min_length"), most: value("max_length") };
}

function questionProblems(question: QuestionDraft): FieldProblem[] {
  const { uid, raw } = question;
  const at = (field: string, message: string): FieldProblem => ({ part: "questions", uid, field, message });
  const link =
    raw.type === "link" && isBlank(raw.link)
      ? "Where does the link lead?"
      : raw.link
        ? linkProblem(raw.link)
        : null;
  return [
    ...(isBlank(raw.question) ? [at("question", "Write what you ask.")] : []),
    ...(link ? [at("link", link)] : []),
    ...choiceProblems(question),
    ...lengthProblem(question),
  ];
}

/** What stands in the way of saving, found here before the service finds it. */
export function problemsOf(draft: SurveyDraft): FieldProblem[] {
  const { fields } = draft;
  const name: FieldProblem[] =
    fields.name.trim() === ""
      ? [{ part: "questions", field: "name", message: "Give the survey a name." }]
      : [];
  return [...name, ...draft.questions.flatMap(questionProblems)];
}

type ApiProblem = { detail: string; attr: string | null; extra?: { path?: (string | number)[] } | undefined };

const PARTS: Record<string, Part> = {
  name: "questions",
  description: "questions",
  type: "audience",
  questions: "questions",
  conditions: "audience",
  linked_flag_id: "audience",
  targeting_flag_filters: "audience",
  appearance: "appearance",
};

const WORDS: [RegExp, string][] = [
  [/choice/i, "choices"],
  [/link/i, "link"],
  [/descriptionContentType/i, "description"],
  [/loop|lead|branch|rule|reach/i, "branching"],
];

/** The place of the service's error in the builder; of a question the one that it counts from 1 in its words. */
export function placeOfError(error: ApiProblem, questions: readonly QuestionDraft[]): FieldProblem {
  const field = error.attr?.split("__")[0] ?? "survey";
  const message = error.detail;
  const path = error.extra?.path;
  if (field === "questions") {
    const counted = /question (\d+)/i.exec(message)?.[1];
    const place = path?.find((part) => typeof part === "number") ?? (counted ? Number(counted) - 1 : 0);
    const uid = questions[Number(place)]?.uid;
    const part = WORDS.find(([pattern]) => pattern.test(message))?.[1] ?? "question";
    return { part: "questions", field: part, message, ...(uid && { uid }) };
  }
  return {
    part: field === "survey" ? "questions" : (PARTS[field] ?? "schedule"),
    field,
    message,
    ...(field === "targeting_flag_filters" && { path: (path ?? []).filter((each) => each !== field) }),
  };
}
