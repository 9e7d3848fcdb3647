import { answerRead } from "../../answer-read.ts";
import { dependentsOf } from "../../reads.ts";

type Context = { params: Promise<{ project_id: string; id: string }> };

/** The flags that depend on this one. */
export async function GET(_request: Request, { params }: Context): Promise<Response> {
  const { project_id, id } = await params;
  return answerRead((api) => dependentsOf(api, project_id, Number(id)));
}
