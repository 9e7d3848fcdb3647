import { experimentResultContract } from "#lib/experiments/results/contract.ts";
import { answerRead, bodyOf } from "../../feature_flags/answer-read.ts";

type Context = { params: Promise<{ project_id: string }> };

/** What a metric would have been, for the browser: a read that the API takes as a POST. */
export async function POST(request: Request, { params }: Context): Promise<Response> {
  const { project_id } = await params;
  return answerRead(async (api) => {
    const body = await bodyOf(request);
    return api.call(experimentResultContract.preview_metric, { params: { project_id }, body });
  });
}
