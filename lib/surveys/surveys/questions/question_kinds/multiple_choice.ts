import type { QuestionOf } from "#lib/engines/branching/question.ts";
import { CHOICES } from "./choices.ts";
import type { QuestionKind } from "./kind.ts";

export const MULTIPLE_CHOICE = {
  ...CHOICES,
  name: "Multiple choice",
  summary: "Any from a list",
  canBeInstant: () => false,
  isMultiple: true,
} satisfies QuestionKind<QuestionOf<"multiple_choice">>;
