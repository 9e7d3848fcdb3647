import { fileAnswer } from "#lib/dashboard/file_answer.ts";

type Context = { params: Promise<{ project_id: string; id: string }> };

/** A download of responses. */
export async function GET(request: Request, { params }: Context): Promise<Response> {
  const { project_id, id } = await params;
  return fileAnswer("GET", ["projects", project_id, "surveys", id, "export"], new URL(request.url).search);
}
