import { typeOf } from "#lib/engines/branching/answers.ts";
import type { Question, QuestionOf, QuestionType } from "#lib/engines/branching/question.ts";
import { choicesControl } from "./choices.ts";
import type { Control, ControlOf, Shown } from "./control.ts";
import { linkControl } from "./link.ts";
import { openControl } from "./open.ts";
import { ratingControl } from "./rating.ts";

const CONTROLS: { readonly [Type in QuestionType]: ControlOf<QuestionOf<Type>> } = {
  open: openControl,
  link: linkControl,
  rating: ratingControl,
  single_choice: choicesControl,
  multiple_choice: choicesControl,
};

/** The control of a question; one of an unknown kind is answered with a text. */
export function controlOf(shown: Shown<Question>): Control {
  const type = typeOf(shown.question);
  const make: ControlOf<Question> = type === null ? openControl : CONTROLS[type];
  return make(shown);
}
