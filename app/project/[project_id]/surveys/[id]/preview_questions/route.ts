import { unreadable } from "#lib/platform/http/errors.ts";
import { surveyResultsContract } from "#lib/surveys/results/contract.ts";
import { answerRead } from "../../../feature_flags/answer-read.ts";

type Context = { params: Promise<{ project_id: string; id: string }> };

/** The effect of an edit on stored answers, for the browser: a read that the API offers as a POST. */
export async function POST(request: Request, { params }: Context): Promise<Response> {
  const { project_id, id } = await params;
  return answerRead(async (api) => {
    const body = await request.json().catch(() => {
      throw unreadable("JSON parse error.");
    });
    return api.call(surveyResultsContract.preview_questions, { params: { project_id, id }, body });
  });
}
