import { CheckSquare, CircleDot, Gauge, Link2, type LucideIcon, MessageSquareText } from "lucide-react";
import { typeOf } from "#lib/engines/branching/answers.ts";
import { asQuestion, type Question, type QuestionType } from "#lib/engines/branching/question.ts";
import type { AnswerCondition } from "#lib/surveys/results/filters-schema.ts";
import { QUESTION_KINDS } from "#lib/surveys/surveys/questions/question_kinds/kinds.ts";

export type Operator = AnswerCondition["operator"];

type KindOfQuestion = {
  icon: LucideIcon;
  /** The comparisons to offer where responses are filtered by answers; the first one is the default. */
  operators: readonly Operator[];
};

const ATTENDED = ["is_set", "is_not_set", "reached", "skipped", "left"] as const;
const OF_CHOICES = ["exact", "is_not", "former", "other", ...ATTENDED] as const;

/** What the dashboard shows of each kind of question, in editing and in results. */
const KINDS = {
  open: { icon: MessageSquareText, operators: ["icontains", "not_icontains", "exact", ...ATTENDED] },
  rating: {
    icon: Gauge,
    operators: ["bucket", "exact", "is_not", "gte", "lte", "off_scale", ...ATTENDED],
  },
  single_choice: { icon: CircleDot, operators: OF_CHOICES },
  multiple_choice: { icon: CheckSquare, operators: OF_CHOICES },
  link: { icon: Link2, operators: ATTENDED },
} satisfies Record<QuestionType, KindOfQuestion>;

const UNKNOWN: KindOfQuestion = { icon: MessageSquareText, operators: ["exact", "is_not", ...ATTENDED] };

const ofType = (type: QuestionType | null): KindOfQuestion => (type === null ? UNKNOWN : KINDS[type]);

/** The comparisons for answers to a question. */
export const operatorsFor = (question: Question): readonly Operator[] => ofType(typeOf(question)).operators;

/** The kinds of questions for menus, in their order. */
export const KIND_OPTIONS = Object.entries(QUESTION_KINDS).map(([name, kind]) => {
  const value = name as QuestionType;
  return { value, label: kind.name, description: kind.summary, icon: KINDS[value].icon };
});

/** The icon of a stored type. */
export function KindIcon({ type, className }: { type: unknown; className?: string }) {
  const { icon: Icon } = ofType(typeOf(asQuestion({ type })));
  return <Icon aria-hidden="true" className={className} />;
}
