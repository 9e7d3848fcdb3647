"use client";

import { Angry, Frown, Laugh, type LucideIcon, Meh, Smile, ThumbsDown, ThumbsUp } from "lucide-react";
import { useId } from "react";
import type { QuestionDraft } from "#components/surveys/draft/draft.ts";
import { rangeOf } from "#lib/engines/branching/branching.ts";
import type { Theme } from "./theme.ts";

type Props = {
  question: QuestionDraft;
  theme: Theme;
  placeholder: string;
  value: unknown;
  onValueChange: (value: unknown) => void;
};

/** The control that takes the answer to a question. */
export function AnswerBox(props: Props) {
  const { type } = props.question.raw;
  if (type === "rating") return <Rating {...props} />;
  if (type === "single_choice" || type === "multiple_choice") return <Choices {...props} />;
  if (type === "open")
    return (
      <textarea
        rows={3}
        aria-label="Your answer"
        placeholder={props.placeholder || undefined}
        value={typeof props.value === "string" ? props.value : ""}
        onChange={(event) => props.onValueChange(event.target.value)}
        style={{
          backgroundColor: props.theme.input,
          color: props.theme.inputText,
          borderColor: props.theme.border,
        }}
        className="w-full resize-none rounded-md border px-3 py-2 text-sm"
      />
    );
  return null;
}

const FACES: Record<number, readonly LucideIcon[]> = {
  2: [ThumbsUp, ThumbsDown],
  3: [Frown, Meh, Smile],
  5: [Angry, Frown, Meh, Smile, Laugh],
};

function Rating({ question, theme, value, onValueChange }: Props) {
  const { scale, display, lowerBoundLabel, upperBoundLabel } = question.raw;
  const range = rangeOf(scale);
  if (!range) return <p className="text-sm">This scale cannot be shown.</p>;
  const answers = Array.from({ length: range.last - range.first + 1 }, (_, at) => range.first + at);
  const faces = display === "emoji" ? FACES[Number(scale)] : undefined;
  return (
    <fieldset aria-label="Your rating" className="flex min-w-0 flex-col gap-1.5">
      <div
        className={faces ? "flex justify-between gap-1" : "grid overflow-hidden rounded-md border"}
        style={
          faces
            ? undefined
            : { gridTemplateColumns: "repeat(auto-fit, minmax(24px, 1fr))", borderColor: theme.border }
        }
      >
        {answers.map((answer, at) => {
          const chosen = value === answer;
          const Face = faces?.[at];
          return (
            <button
              key={answer}
              type="button"
              aria-pressed={chosen}
              aria-label={Face ? `${answer}` : undefined}
              onClick={() => onValueChange(answer)}
              style={
                Face
                  ? {
                      color: chosen ? theme.ratingActive : theme.text,
                      borderColor: chosen ? theme.ratingActive : "transparent",
                    }
                  : {
                      backgroundColor: chosen ? theme.ratingActive : theme.rating,
                      color: chosen ? theme.ratingActiveText : theme.ratingText,
                      borderColor: theme.border,
                    }
              }
              className={
                Face
                  ? "grid size-11 place-items-center rounded-full border-2"
                  : "tabular h-9 border-l text-xs first:border-l-0"
              }
            >
              {Face ? <Face aria-hidden="true" className="size-7" strokeWidth={1.75} /> : answer}
            </button>
          );
        })}
      </div>
      <div className="flex justify-between gap-3 text-xs" style={{ color: theme.subtle }}>
        <span className="break-words">{typeof lowerBoundLabel === "string" ? lowerBoundLabel : ""}</span>
        <span className="break-words text-right">
          {typeof upperBoundLabel === "string" ? upperBoundLabel : ""}
        </span>
      </div>
    </fieldset>
  );
}

function Choices({ question, theme, value, onValueChange }: Props) {
  const name = useId();
  const single = question.raw.type === "single_choice";
  const choices = question.choices ?? [];
  const texts = choices.map((choice) => choice.text);
  const list = Array.isArray(value) ? value.map(String) : [];
  const open = question.raw.hasOpenChoice === true ? choices.length - 1 : -1;
  const isOwn = (given: string) => !texts.slice(0, open < 0 ? undefined : open).includes(given);
  const own = single ? (typeof value === "string" && isOwn(value) ? value : null) : list.find(isOwn);
  function pick(text: string, on: boolean) {
    if (single) onValueChange(text);
    else onValueChange(on ? [...list, text] : list.filter((each) => each !== text));
  }
  return (
    <fieldset aria-label="Your choice" className="flex min-w-0 flex-col gap-1.5">
      {choices.map((choice, place) => {
        const isOpen = place === open;
        const given = isOpen ? (own ?? choice.text) : choice.text;
        const chosen = isOpen
          ? own !== null && own !== undefined
          : single
            ? value === choice.text
            : list.includes(choice.text);
        return (
          <div
            key={choice.uid}
            className="flex min-h-9 items-center gap-2 rounded-md border px-2.5 py-1.5 text-sm"
            style={{
              backgroundColor: theme.input,
              color: theme.inputText,
              borderColor: chosen ? theme.ratingActive : theme.border,
            }}
          >
            <input
              id={`${name}-${choice.uid}`}
              type={single ? "radio" : "checkbox"}
              name={name}
              checked={chosen}
              onChange={(event) => pick(given, event.target.checked)}
              style={{ accentColor: theme.button }}
              className="size-4 shrink-0"
            />
            <label htmlFor={`${name}-${choice.uid}`} className="min-w-0 flex-1 break-words">
              {choice.text || "(no text yet)"}
            </label>
            {isOpen && chosen ? (
              <input
                aria-label={`${choice.text}: your own answer`}
                value={own === choice.text ? "" : (own ?? "")}
                onChange={(event) => {
                  const words = event.target.value || choice.text;
                  onValueChange(single ? words : [...list.filter((each) => !isOwn(each)), words]);
                }}
                style={{ backgroundColor: "transparent", borderColor: theme.border, color: theme.inputText }}
                className="w-28 min-w-0 border-b text-sm"
              />
            ) : null}
          </div>
        );
      })}
    </fieldset>
  );
}
