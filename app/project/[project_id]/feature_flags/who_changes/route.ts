import { whoChangesContract } from "#lib/feature_flags/who_changes_contract.ts";
import { answerRead, bodyOf } from "../answer_read.ts";

type Context = { params: Promise<{ project_id: string }> };

/** Whose value a change would change, for the browser: a read that the API takes as a POST. */
export async function POST(request: Request, { params }: Context): Promise<Response> {
  const { project_id } = await params;
  return answerRead(async (api) => {
    const body = await bodyOf(request);
    return api.call(whoChangesContract.who_changes, { params: { project_id }, body });
  });
}
