import type { QuestionOf } from "#lib/engines/branching/question.ts";
import { CHOICES } from "./choices.ts";
import type { QuestionKind } from "./kind.ts";

export const SINGLE_CHOICE = {
  ...CHOICES,
  name: "Single choice",
  summary: "One from a list",
  canBeInstant: ({ hasOpenChoice }) => hasOpenChoice !== true,
  isMultiple: false,
} satisfies QuestionKind<QuestionOf<"single_choice">>;
