import { evaluateContract } from "#lib/flags/feature_flags/evaluation/evaluate-contract.ts";
import { answerRead, bodyOf } from "../answer-read.ts";

type Context = { params: Promise<{ project_id: string }> };

/** What a flag or its draft gives one person or group, for the browser. */
export async function POST(request: Request, { params }: Context): Promise<Response> {
  const { project_id } = await params;
  return answerRead(async (api) => {
    const body = await bodyOf(request);
    return api.call(evaluateContract.evaluate, { params: { project_id }, body });
  });
}
