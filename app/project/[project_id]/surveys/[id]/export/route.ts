import { answerFile } from "#lib/app/session/file-answer.ts";

type Context = { params: Promise<{ project_id: string; id: string }> };

/** A download of responses. */
export async function GET(request: Request, { params }: Context): Promise<Response> {
  const { project_id, id } = await params;
  return answerFile("GET", ["projects", project_id, "surveys", id, "export"], new URL(request.url).search);
}
