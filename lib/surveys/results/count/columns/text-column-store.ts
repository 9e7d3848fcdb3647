import { type SQL, sql } from "drizzle-orm";
import type { Db } from "#lib/platform/db/connect.ts";
import type { Snapshot } from "#lib/platform/db/copy.ts";
import { like } from "#lib/surveys/results/count/conditions-store.ts";
import { OTHER, placeKey } from "#lib/surveys/results/ingest/answer-codes.ts";
import type { SurveyScope } from "#lib/surveys/results/ingest/ingest-store.ts";
import type { ResponseColumns } from "./columns.ts";
import { elementsOf, uuidInto } from "./columns-store.ts";
import { type TextColumn, type TextKind, wordsOfUuid } from "./text-column.ts";

/** An answer's texts, as an array. */
function textsSql({ form, index, id }: TextKind): SQL {
  const at = (arrow: "->" | "->>") => {
    const byPlace = sql`r.answers ${sql.raw(arrow)} ${placeKey(index)}::text`;
    return id === null ? byPlace : sql`coalesce(r.answers ${sql.raw(arrow)} ${id}::text, ${byPlace})`;
  };
  if (form === "whole") return sql`array_remove(array[lower(${at("->>")})], null)`;
  const each = form === "parts" ? sql`lower(t)` : sql`btrim(t)`;
  return sql`array(select ${each} from jsonb_array_elements_text(case jsonb_typeof(${at("->")})
    when 'array' then ${at("->")} else jsonb_build_array(${at("->")}) end) as t(t) where t is not null)`;
}

type Reading = { snapshot: Snapshot; scope: SurveyScope; columns: ResponseColumns; texts: TextColumn };

/** Reads the texts of answers of all responses, or of some events, replacing theirs. */
export async function copyTexts(
  { snapshot, scope, columns, texts }: Reading,
  only: readonly string[] | null,
  tick: () => void,
): Promise<void> {
  const { index, form, type } = texts.kind;
  for (const uuid of only ?? []) {
    const row = columns.uuids.find(wordsOfUuid(uuid));
    if (row >= 0) texts.clear(row);
  }
  const code = sql`r.codes[${sql.raw(String(index + 1))}]`;
  const wanted =
    form === "exact" && type !== "open"
      ? sql`${OTHER} = any(string_to_array(${code}, ','))`
      : sql`${code} <> ''`;
  const uuid = new Uint32Array(4);
  await snapshot.copy(
    sql`select r.uuid, ${textsSql(texts.kind)} from survey_responses r
      where r.project_id = ${scope.project_id} and r.survey_id = ${scope.survey_id} and ${wanted}
        ${only ? sql`and r.uuid = any(${`{${only.join(",")}}`}::uuid[])` : sql``}`,
    ({ bytes, starts }) => {
      tick();
      uuidInto(uuid, bytes, starts[0] ?? 0);
      const row = columns.uuids.find(uuid);
      if (row < 0) return;
      const found = [...elementsOf(bytes, starts[1] ?? 0)];
      if (found.length > 0) texts.put(row, found);
    },
  );
}

/** The texts that ILIKE patterns look for, lowercased by the database. */
export async function selectNeedles(db: Db, texts: readonly string[]): Promise<string[]> {
  const { rows } = await db.execute<{ pattern: string }>(sql`
    select lower(p) as pattern from unnest(${sql.param(texts.map(like))}::text[]) with ordinality as t(p, place)
    order by place`);
  return rows.map(({ pattern }) => pattern.slice(1, -1).replace(/\\([\\%_])/g, "$1"));
}
