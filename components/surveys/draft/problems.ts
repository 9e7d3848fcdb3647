import { kindOf } from "#lib/surveys/surveys/questions/question_kinds/kinds.ts";
import { linkProblem } from "#lib/surveys/surveys/questions/question_kinds/link.ts";
import type { QuestionDraft } from "./draft.ts";
import type { SurveyDraft } from "./survey-draft.ts";

/** Parts of the builder, as its tabs name them. */
export type Part = "questions" | "flow" | "audience" | "schedule" | "appearance" | "json";

/** A problem with its field, of the survey or of one question. */
export type FieldProblem = {
  part: Part;
  /** Of the survey ("name"), or of the question ("question", "choices", "choice:<uid>", "link"). */
  field: string;
  /** Identity of the question; absent if it is about the survey. */
  uid?: string;
  /** Where in the filters of the audience. */
  path?: (string | number)[];
  message: string;
};

const isBlank = (text: unknown) => typeof text !== "string" || text.trim() === "";

function questionProblems({ uid, raw, choices }: QuestionDraft): FieldProblem[] {
  const at = (field: string, message: string): FieldProblem => ({ part: "questions", uid, field, message });
  const link = raw.link ? linkProblem(raw.link) : null;
  const plain = { ...raw, choices: choices?.map(({ text }) => text) };
  return [
    ...(isBlank(raw.question) ? [at("question", "Enter the question.")] : []),
    ...(link ? [at("link", link)] : []),
    ...kindOf(plain)
      .problems(plain)
      .map(({ field, choice, message }) =>
        at(choice === undefined ? field : `choice:${choices?.[choice]?.uid}`, message),
      ),
  ];
}

/** Problems that prevent saving, found before the API finds them. */
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

/** The field of an API error in the builder; a question is found by its number in the message. */
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
