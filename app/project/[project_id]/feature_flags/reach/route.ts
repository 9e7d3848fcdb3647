import { flagContract } from "#lib/feature_flags/contract.ts";
import { answerRead, bodyOf } from "../answer_read.ts";

type Context = { params: Promise<{ project_id: string }> };

/** How many people a condition set matches, for the browser: a read that the API takes as a POST. */
export async function POST(request: Request, { params }: Context): Promise<Response> {
  const { project_id } = await params;
  return answerRead(async (api) => {
    const body = await bodyOf(request);
    return api.call(flagContract.user_blast_radius, { params: { project_id }, body });
  });
}
