import { Bars } from "#components/charts/bars.tsx";
import { shortened } from "#components/surveys/results/filters/filter-words.ts";
import type { Links } from "#components/surveys/results/filters/results-query.ts";
import { OpenLink } from "#components/surveys/results/open-link.tsx";
import { intervalOf, shareInWords, smallNote } from "#components/surveys/results/words.ts";
import { cn } from "#components/ui/cn.ts";
import { formatCount, formatPercent, plural } from "#lib/platform/format.ts";
import type { ChoiceFigures as Choice, QuestionFigures } from "#lib/surveys/results/schema.ts";
import { choiceCaption } from "./captions.ts";

type Props = { question: QuestionFigures; choice: Choice; links: Links };

/** Choices with their shares and intervals, free texts, and whether the shares add up. */
export function ChoiceFigures({ question, choice, links }: Props) {
  const bars = [
    ...choice.choices.map((each) => ({ key: each.choice, label: each.choice, each })),
    ...choice.former.map((each) => ({
      key: `\u0000former ${each.choice}`,
      label: `${each.choice} (former choice)`,
      each,
    })),
    ...(choice.other ? [{ key: "\u0000other", label: otherLabel(choice), each: choice.other }] : []),
  ];
  const texts = choice.other && choice.other.texts.length > 0 ? choice.other : null;
  return (
    <div className={cn("grid gap-x-8 gap-y-3", texts && "lg:grid-cols-[minmax(0,7fr)_minmax(0,3fr)]")}>
      <Bars
        title={choice.multiple ? "Chosen by" : "Chosen"}
        caption={choiceCaption(choice)}
        measure={{ unit: "share" }}
        valueName={choice.multiple ? "Share of respondents" : "Share of answers"}
        countName={choice.multiple ? "Respondents" : "Answers"}
        color="var(--variant-2)"
        bars={bars.map(({ key, label, each }) => ({
          key,
          label,
          value: each.share ?? 0,
          count: each.count,
          interval: each.count > 0 ? intervalOf(each) : null,
          href: links.open(each.rows, `${label}: ${question.question}`),
        }))}
      />
      {texts ? <OtherTexts question={question} other={texts} links={links} /> : null}
      <FitScore {...{ question, choice, links }} />
      <p className="text-muted text-xs">
        <SmallNote of={question.answered.count} />
        {choice.shares_note}
        {choice.former.length > 0 ? ` ${FORMER_NOTE}` : null}
      </p>
    </div>
  );
}

/** The score of a question about product-market fit: the share of those who would be very disappointed. */
function FitScore({ question, choice, links }: Props) {
  const score = choice.choices.find((each) => /^very disappointed\b/i.test(each.choice));
  if (choice.multiple || !score || score.share === null || score.count === 0) return null;
  const share = formatPercent(score.share);
  const interval = intervalOf(score);
  return (
    <p className="text-sm">
      {"Product-market fit (PMF) score: "}
      <OpenLink
        href={links.open(score.rows, `${score.choice}: ${question.question}`)}
        label={`Open the ${plural(score.count, "answer")} behind ${share}`}
        className="tabular font-semibold text-ink"
      >
        {share}
      </OpenLink>
      <span className="text-muted">
        {interval ? `, 95% interval ${formatPercent(interval[0])} to ${formatPercent(interval[1])}` : ""}
        {". The usual mark is 40%."}
      </span>
    </p>
  );
}

const FORMER_NOTE = "Former choices were removed or replaced after people had picked them.";

const otherLabel = ({ other }: Choice) => `${other?.label ?? "Other"} (free text)`;

function SmallNote({ of }: { of: number }) {
  const note = smallNote(of);
  if (!note) return null;
  return (
    <strong className="mr-1 font-medium text-warning-text">{`${note[0]?.toUpperCase()}${note.slice(1)}.`}</strong>
  );
}

type OtherProps = { question: QuestionFigures; other: NonNullable<Choice["other"]>; links: Links };

const SHOWN = 8;

function OtherTexts({ question, other, links }: OtherProps) {
  const rest = other.texts.length - SHOWN;
  return (
    <section aria-label={`Free-text answers: ${question.question}`}>
      <h3 className="font-medium text-xs">
        Free-text answers{" "}
        <OpenLink
          href={links.open(other.rows, `Free-text answers: ${question.question}`)}
          className="font-normal text-muted"
        >
          {plural(other.count, "answer")}
        </OpenLink>
      </h3>
      <ul className="mt-1 flex flex-col divide-y text-xs">
        {other.texts.slice(0, SHOWN).map(({ text, count }) => (
          <li key={text} className="flex items-baseline justify-between gap-3 py-1">
            <span className="min-w-0 break-words text-ink">{shortened(text, 120)}</span>
            <span className="tabular text-muted">{formatCount(count)}</span>
          </li>
        ))}
      </ul>
      {rest > 0 ? <p className="text-faint text-xs">{`and ${rest} more in the rows`}</p> : null}
      <p className="sr-only">{`Free-text answers: ${shareInWords(other)}.`}</p>
    </section>
  );
}
