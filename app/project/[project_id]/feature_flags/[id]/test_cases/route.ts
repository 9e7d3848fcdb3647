import { testCasesContract } from "#lib/flags/feature_flags/who_changes/pinned-cases-contract.ts";
import { answerRead, bodyOf } from "../../answer-read.ts";

type Context = { params: Promise<{ project_id: string; id: string }> };

/** The test cases of a flag, checked on what would be saved, for the browser. */
export async function POST(request: Request, { params }: Context): Promise<Response> {
  const path = await params;
  return answerRead(async (api) => {
    const body = await bodyOf(request);
    return api.call(testCasesContract.check_test_cases, { params: path, body });
  });
}
