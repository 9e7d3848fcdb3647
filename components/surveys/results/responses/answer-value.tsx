import { asQuestion } from "#lib/engines/branching/question.ts";
import { kindOf } from "#lib/surveys/surveys/questions/question_kinds/kinds.ts";
import { answerTexts } from "./response-words.ts";

type Props = {
  type: string;
  /** As it was recorded. */
  value: unknown;
  /** With the texts that choices have now. */
  countedAs: unknown;
};

/** An answer: numbers and choices are emphasized, texts are quoted. */
export function AnswerValue({ type, value, countedAs }: Props) {
  const recorded = answerTexts(value);
  const texts = answerTexts(countedAs);
  if (texts.length === 0) return <span className="text-faint">skipped</span>;
  if (kindOf(asQuestion({ type })).figures({}) === "texts")
    return <span className="whitespace-pre-wrap break-words text-ink">{texts.join("\n")}</span>;
  return (
    <span className="flex flex-wrap gap-1">
      {texts.map((text, place) => (
        <span
          // biome-ignore lint/suspicious/noArrayIndexKey: a text may be given twice
          key={place}
          className="tabular max-w-full break-words rounded-sm bg-hover px-1.5 font-medium text-ink ring-1 ring-line ring-inset"
        >
          {text}
          {text.startsWith(recorded[place] ?? "") ? null : (
            <span className="ml-1 font-normal text-muted">{`answered as “${recorded[place]}”`}</span>
          )}
        </span>
      ))}
    </span>
  );
}
