import type { MemberContext } from "#lib/http/context.ts";
import { columnsIn } from "./columns_cache.ts";
import { type ColumnFilter, rowsOf } from "./columns_count.ts";
import { testOf, textNeedOf } from "./columns_match.ts";
import { admittedOf } from "./columns_persons.ts";
import type { Held } from "./columns_read.ts";
import type { PlacedCondition } from "./conditions_store.ts";
import type { Asked } from "./filter.ts";
import { textKey } from "./text_column.ts";
import { selectNeedles } from "./text_column_store.ts";

type Context = Pick<MemberContext, "db">;

/** The rows in which some text of an answer is, or contains, what a condition asks for; null where codes tell. */
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
 * Works on a survey's responses in memory, with the rows of them that the filters leave.
 *
 * @returns null where they take too much memory
 * @throws ApiError 503 where they are still being read after a while
 */
export async function withRows<T>(
  context: Context,
  { scope, filter, people }: Asked,
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
        tests.push(testOf(columns.responses, condition, await marksOf(context, held, condition)));
      const admitted = people && (await admittedOf(context.db, scope.project_id, columns, people));
      const ready: ColumnFilter = { ...days, admitted, answers: tests };
      return work(held, ready, await rowsOf(columns, ready));
    },
  });
}
