import { shortened } from "#components/surveys/results/filters/filter-words.ts";
import type { QuestionFigures } from "#lib/surveys/results/schema.ts";

/** With fewer questions, no navigation is needed. */
const MANY = 6;

/** Links to the questions of a long survey. */
export function QuestionNav({ questions }: { questions: readonly QuestionFigures[] }) {
  if (questions.length < MANY) return null;
  return (
    <nav aria-label="Questions" className="flex flex-wrap items-center gap-1 text-xs print:hidden">
      <span aria-hidden="true" className="mr-1 text-muted">
        Questions
      </span>
      {questions.map(({ question_id, question_index, question }) => (
        <a
          key={question_id}
          href={`#q-${question_index}`}
          aria-label={`Question ${question_index + 1}: ${shortened(question, 100)}`}
          title={shortened(question, 100)}
          className="tabular grid h-6 min-w-6 place-items-center rounded-sm border bg-surface px-1 text-muted hover:border-line-strong hover:text-ink"
        >
          {question_index + 1}
        </a>
      ))}
    </nav>
  );
}
