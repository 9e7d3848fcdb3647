import { html } from "hono/html";
import type { QuestionOf } from "#lib/engines/branching/question.ts";
import { kindOf } from "#lib/surveys/surveys/questions/question_kinds/kinds.ts";
import {
  type ControlOf,
  type ControlState,
  checked,
  describedBy,
  type Html,
  invalid,
  NONE,
  problemLine,
  TEXT_MAX,
  textIn,
  trimmed,
} from "./control.ts";

/** A choice; `text` is stored, `label` is shown. */
type Choice = {
  /** Its place in the question as it is stored, from 0. */
  place: number;
  text: string;
  label: string;
  /** Whether it asks for a free text. */
  isOpen: boolean;
};

type ChoiceQuestion = QuestionOf<"single_choice" | "multiple_choice">;

function choicesOf({ choices, hasOpenChoice }: ChoiceQuestion, translated: unknown): Choice[] {
  const texts = Array.isArray(choices) ? choices.filter((choice) => typeof choice === "string") : [];
  const labels = Array.isArray(translated) ? translated : texts;
  return texts.map((text, place) => ({
    place,
    text,
    label: trimmed(labels[place]) || text,
    isOpen: hasOpenChoice === true && place === texts.length - 1,
  }));
}

const otherField = (choice: Choice, { given, problem, texts }: ControlState): Html => {
  const isWrong = problem?.field === "other";
  return html`<div class="own"><input type="text" id="other" name="other" dir="auto" autocomplete="off"
    maxlength="${TEXT_MAX}" value="${given.other}" aria-label="${texts.other(choice.label)}"${describedBy(
      isWrong && "problem",
    )}${invalid(isWrong)}>${isWrong ? problemLine(problem) : NONE}</div>`;
};

/** A list of choices, of which one or several can be picked; the open one stays last when they are shuffled. */
export const choicesControl: ControlOf<ChoiceQuestion> = ({ question, texts: shown, shuffle }) => {
  const all = choicesOf(question, shown.choices);
  const openChoice = all.find((choice) => choice.isOpen);
  const listed = all.filter((choice) => !choice.isOpen);
  const choices =
    question.shuffleOptions === true ? [...shuffle(listed), ...(openChoice ? [openChoice] : [])] : all;
  const { isMultiple, canBeInstant } = kindOf(question);
  const isInstant = question.skipSubmitButton === true && canBeInstant(question);
  return {
    names: "group",
    isInstant,
    html(state) {
      const { given, problem, texts } = state;
      const isWrong = problem?.field === "answer";
      const options = choices.map((choice, at) => {
        const isChosen = given.answers.includes(String(choice.place));
        if (isInstant)
          return html`<button class="choice" name="answer" value="${choice.place}" aria-pressed="${isChosen}"
        dir="auto">${choice.label}</button>`;
        const id = at === 0 ? "answer" : `answer-${at}`;
        const type = isMultiple ? "checkbox" : "radio";
        return html`<div><div class="choice"><input type="${type}" name="answer" id="${id}"
      value="${choice.place}"${checked(isChosen)}${invalid(isWrong)}><label for="${id}" dir="auto">${choice.label}</label>
      </div>${choice.isOpen ? otherField(choice, state) : NONE}</div>`;
      });
      return html`<div class="field">${isMultiple ? html`<p class="hint" dir="auto">${texts.chooseAny}</p>` : NONE}
    ${isWrong ? problemLine(problem) : NONE}
    <div class="choices ${isMultiple ? "many" : ""}">${options}</div></div>`;
    },
    read(form) {
      const places = new Set(form.getAll("answer"));
      const other = textIn(form, "other");
      const picked = choices.filter((choice) => places.has(String(choice.place)));
      // A text beside the open choice counts if that choice is picked, or nothing else is.
      const meant = openChoice && other !== "" && picked.length === 0 ? [openChoice] : picked;
      if (other.length > TEXT_MAX) return { problem: { code: "too_long", limit: TEXT_MAX, field: "other" } };
      if (meant.some((choice) => choice.isOpen) && other === "")
        return { problem: { code: "specify", field: "other" } };
      const responses = meant.map((choice) => (choice.isOpen ? other : choice.text));
      if (responses.length === 0 && question.optional !== true && choices.length > 0)
        return { problem: { code: isMultiple ? "choose_some" : "choose", field: "answer" } };
      return { response: isMultiple ? responses : (responses[0] ?? null) };
    },
    given(response) {
      const texts = (Array.isArray(response) ? response : [response]).filter((t) => typeof t === "string");
      const picked = choices.filter((choice) => !choice.isOpen && texts.includes(choice.text));
      const own = texts.find((text) => !listed.some((choice) => choice.text === text));
      const withOwn = own !== undefined && openChoice ? [...picked, openChoice] : picked;
      return { answers: withOwn.map(({ place }) => String(place)), other: openChoice ? (own ?? "") : "" };
    },
    suggested(numbers) {
      const chosen = choices.filter((choice) => !choice.isOpen && numbers.includes(choice.place));
      if (chosen.length === 0) return undefined;
      return isMultiple ? chosen.map((choice) => choice.text) : chosen[0]?.text;
    },
  };
};
