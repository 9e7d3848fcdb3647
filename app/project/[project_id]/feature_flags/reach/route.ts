import { flagContract } from "#lib/flags/feature_flags/contract.ts";
import { answerRead, bodyOf } from "../answer-read.ts";

type Context = { params: Promise<{ project_id: string }> };

/** Count the people a condition set matches, for the browser: a read that is a POST in the API. */
export async function POST(request: Request, { params }: Context): Promise<Response> {
  const { project_id } = await params;
  return answerRead(async (api) => {
    const body = await bodyOf(request);
    return api.call(flagContract.user_blast_radius, { params: { project_id }, body });
  });
}
