import { answerFile } from "#lib/app/session/file-answer.ts";

type Context = { params: Promise<{ project_id: string; id: string }> };

/** A download of the sealed report, which is recorded in the experiment's history. */
export async function POST(_: Request, { params }: Context): Promise<Response> {
  const { project_id, id } = await params;
  return answerFile("POST", ["projects", project_id, "experiments", id, "report"]);
}
