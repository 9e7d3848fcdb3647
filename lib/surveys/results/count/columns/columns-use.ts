import type { MemberContext } from "#lib/surveys/context.ts";
import type { PlacedCondition } from "#lib/surveys/results/count/conditions-store.ts";
import type { ResultsRequest } from "#lib/surveys/results/count/filter.ts";
import { columnsIn } from "./columns-cache.ts";
import { type ColumnFilter, rowsOf } from "./columns-count.ts";
import { rowTestOf, textNeedOf } from "./columns-match.ts";
import { admitPersons } from "./columns-persons.ts";
import type { Held } from "./columns-read.ts";
import { textKey } from "./text-column.ts";
import { selectNeedles } from "./text-column-store.ts";

type Context = Pick<MemberContext, "db">;

/**
 * The rows in which some text of an answer is, or contains, what a condition asks for; null if codes tell.
 */
async function marksOf({ db }: Context, held: Held, condition: PlacedCondition): Promise<Uint8Array | null> {
  const need = textNeedOf(condition);
  const texts = need && held.texts.get(textKey(need.kind));
  if (!need || !texts) return null;
  const isWhole = need.kind.form === "exact";
  const wanted = isWhole ? need.texts : await selectNeedles(db, need.texts);
  const marks = new Uint8Array(held.columns.responses.length);
  for (const text of new Set(wanted)) await texts.mark(marks, text, isWhole);
  return marks;
}

/**
 * Runs work on a survey's responses in memory, with the rows that match the filters.
 *
 * @returns null if they take too much memory
 * @throws ApiError 503 where they are still being read after a while
 */
export async function withRows<T>(
  context: Context,
  { scope, filter, people }: ResultsRequest,
  work: (held: Held, filter: ColumnFilter, rows: Uint32Array) => Promise<T>,
): Promise<T | null> {
  const { answers, ...days } = filter;
  const texts = answers.flatMap((condition) => textNeedOf(condition)?.kind ?? []);
  return columnsIn(context.db).use(scope, {
    texts,
    work: async (held) => {
      const { columns } = held;
      const tests = [];
      for (const condition of answers)
        tests.push(rowTestOf(columns.responses, condition, await marksOf(context, held, condition)));
      const admitted = people && (await admitPersons(context.db, scope.project_id, columns, people));
      const ready: ColumnFilter = { ...days, admitted, answers: tests };
      return work(held, ready, await rowsOf(columns, ready));
    },
  });
}
