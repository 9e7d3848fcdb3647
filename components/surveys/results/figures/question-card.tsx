import type { ReactNode } from "react";
import type { Links } from "#components/surveys/results/filters/results-query.ts";
import { OpenLink } from "#components/surveys/results/open-link.tsx";
import { intervalOf } from "#components/surveys/results/words.ts";
import { Badge } from "#components/ui/display/badge.tsx";
import { asQuestion } from "#lib/engines/branching/question.ts";
import { formatCount, formatPercent, plural } from "#lib/platform/format.ts";
import type { QuestionFigures } from "#lib/surveys/results/schema.ts";
import type { Figures } from "#lib/surveys/surveys/questions/question_kinds/kind.ts";
import { kindName, kindOf } from "#lib/surveys/surveys/questions/question_kinds/kinds.ts";
import { ChoiceFigures } from "./choice-figures.tsx";
import { RatingFigures } from "./rating-figures.tsx";

type Props = {
  question: QuestionFigures;
  links: Links;
  /** Answers and themes of an open question. */
  children?: ReactNode;
};

/** The figures that a question gets. */
export function figuresOf({ type, rating }: QuestionFigures): Figures {
  const question = asQuestion({ type, scale: rating?.scale });
  return kindOf(question).figures(question);
}

const FIGURES = {
  rating: ({ question, links }) =>
    question.rating && <RatingFigures question={question} rating={question.rating} links={links} />,
  choice: ({ question, links }) =>
    question.choice && <ChoiceFigures question={question} choice={question.choice} links={links} />,
  texts: () => null,
  count: ({ question }) => (
    <p className="text-sm">
      {kindOf(asQuestion({ type: question.type })).counted?.(question.answered.count) ??
        `${plural(question.answered.count, "answer")}, of a type without figures.`}
    </p>
  ),
} satisfies Record<Figures, (props: Props) => ReactNode>;

/** One question: who reached it, who answered, and what. */
export function QuestionCard(props: Props) {
  const { question, links, children } = props;
  return (
    <section
      aria-labelledby={`q-${question.question_index}`}
      className="min-w-0 overflow-clip rounded-lg border bg-surface shadow-card print:break-inside-avoid"
    >
      <header className="flex flex-wrap items-start gap-x-6 gap-y-2 border-b px-4 py-3">
        <div className="flex min-w-0 flex-1 basis-72 gap-3">
          <span
            aria-hidden="true"
            className="tabular mt-0.5 grid h-5 min-w-5 shrink-0 place-items-center rounded-sm bg-hover px-1 font-medium text-2xs text-muted"
          >
            {question.question_index + 1}
          </span>
          <h2
            id={`q-${question.question_index}`}
            className="min-w-0 scroll-mt-20 break-words font-semibold text-base"
          >
            {question.question}
          </h2>
        </div>
        <Badge>{kindName(question.type)}</Badge>
      </header>
      <Attendance question={question} links={links} />
      {question.answered.count > 0 || question.rating?.off_scale.count ? (
        <div className="px-4 pt-3 pb-4">
          {FIGURES[figuresOf(question)](props)}
          {children}
        </div>
      ) : (
        <p className="px-4 py-6 text-center text-muted text-sm">No answers to this question.</p>
      )}
    </section>
  );
}

/** Of those who reached the question: answered, skipped, stopped there. */
function Attendance({ question, links }: { question: QuestionFigures; links: Links }) {
  const { reached, answered, skipped, left } = question;
  const range = intervalOf(answered);
  const items = [
    { term: "Reached", rows: reached.rows, count: reached.count, more: null },
    {
      term: "Answered",
      rows: answered.rows,
      count: answered.count,
      more:
        answered.share === null
          ? null
          : `${formatPercent(answered.share)}${range ? ` (${formatPercent(range[0])} to ${formatPercent(range[1])})` : ""}`,
    },
    { term: "Skipped", rows: skipped.rows, count: skipped.count, more: null },
    { term: "Stopped here", rows: left.rows, count: left.count, more: null },
  ];
  return (
    <dl
      title={question.definition}
      className="flex flex-wrap gap-x-6 gap-y-2.5 border-b bg-sunken px-4 py-2.5 text-xs"
    >
      {items.map(({ term, rows, count, more }) => (
        <div key={term} className="flex items-baseline gap-1.5">
          <dt className="text-muted">{term}</dt>
          <dd className="tabular font-medium text-ink">
            <OpenLink href={links.open(rows, `${term}: ${question.question}`)}>{formatCount(count)}</OpenLink>
            {more ? <span className="ml-1.5 font-normal text-muted">{more}</span> : null}
          </dd>
        </div>
      ))}
    </dl>
  );
}
