import { answerRead } from "../answer-read.ts";
import { readFacets } from "../reads.ts";

type Context = { params: Promise<{ project_id: string }> };

/** What flags can be filtered by: their tags and who made them, with counts. */
export async function GET(_request: Request, { params }: Context): Promise<Response> {
  const { project_id } = await params;
  return answerRead((api) => readFacets(api, project_id));
}
