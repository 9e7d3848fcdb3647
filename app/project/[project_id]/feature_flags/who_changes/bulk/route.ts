import { whoChangesContract } from "#lib/flags/feature_flags/who_changes/who-changes-contract.ts";
import { answerRead, bodyOf } from "../../answer-read.ts";

type Context = { params: Promise<{ project_id: string }> };

/** Whose values several changes would change, for the browser. */
export async function POST(request: Request, { params }: Context): Promise<Response> {
  const { project_id } = await params;
  return answerRead(async (api) => {
    const body = await bodyOf(request);
    return api.call(whoChangesContract.bulk_who_changes, { params: { project_id }, body });
  });
}
