import { notFound } from "#lib/platform/http/errors.ts";
import type { MemberContext } from "#lib/surveys/context.ts";
import type { Surroundings } from "./record.ts";
import { type SurveyRow, selectSurvey } from "./store.ts";

/** Loads what survey records are built from. */
export async function loadSurroundings({
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
export async function requireSurvey(
  context: Pick<MemberContext, "db" | "project">,
  id: string,
): Promise<SurveyRow> {
  const row = await selectSurvey(context.db, context.project.id, id);
  if (!row) throw notFound();
  return row;
}
