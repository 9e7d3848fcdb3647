import type { MemberContext } from "#lib/http/context.ts";
import { notFound } from "#lib/http/errors.ts";
import type { Surroundings } from "./record.ts";
import { type SurveyRow, selectSurvey } from "./store.ts";

/** What records of surveys are made with, as of now. */
export async function surroundingsOf({
  runtime,
  project,
}: Pick<MemberContext, "runtime" | "project">): Promise<Surroundings> {
  const [accounts, { byId }] = await Promise.all([
    runtime.directory.current(),
    runtime.flags.project(project.id),
  ]);
  return { accounts, flags: byId };
}

/** The survey of a path; 404 for another project's. */
export async function surveyOf(
  context: Pick<MemberContext, "db" | "project">,
  id: string,
): Promise<SurveyRow> {
  const row = await selectSurvey(context.db, context.project.id, id);
  if (!row) throw notFound();
  return row;
}
