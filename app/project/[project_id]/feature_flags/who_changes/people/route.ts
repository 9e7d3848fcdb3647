import { whoChangesContract } from "#lib/flags/feature_flags/who_changes/who-changes-contract.ts";
import { answerRead, bodyOf } from "../../answer-read.ts";

type Context = { params: Promise<{ project_id: string }> };

/** The people behind one count of a change, for the browser. */
export async function POST(request: Request, { params }: Context): Promise<Response> {
  const { project_id } = await params;
  const { searchParams } = new URL(request.url);
  const query = { limit: searchParams.get("limit") ?? "50", offset: searchParams.get("offset") ?? "0" };
  return answerRead(async (api) => {
    const body = await bodyOf(request);
    return api.call(whoChangesContract.who_changes_people, { params: { project_id }, query, body });
  });
}
