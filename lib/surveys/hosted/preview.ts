import { createHmac, timingSafeEqual } from "node:crypto";
import type { Input } from "#lib/platform/http/contract.ts";
import type { MemberContext } from "#lib/surveys/context.ts";
import type { surveyContract } from "#lib/surveys/surveys/contract.ts";
import { requireSurvey } from "#lib/surveys/surveys/lookup.ts";
import { formKey } from "./form-state.ts";

/** What the address of a preview has in it: nobody can make one up. @param key see `formKey` */
const tokenOf = (key: Buffer, surveyId: string): string =>
  createHmac("sha256", key).update(`preview ${surveyId}`).digest("base64url");

export function isPreviewOf(key: Buffer, surveyId: string, token: string | null): boolean {
  const [given, wanted] = [Buffer.from(token ?? ""), Buffer.from(tokenOf(key, surveyId))];
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

/** The path at which a hosted page can be tried out. */
export const previewPath = (key: Buffer, surveyId: string): string =>
  `/external_surveys/${surveyId}/?preview=${tokenOf(key, surveyId)}`;

export async function preview(
  context: MemberContext,
  { params }: Input<(typeof surveyContract)["preview"]>,
): Promise<{ path: string }> {
  const { id } = await requireSurvey(context, params.id);
  return { path: previewPath(formKey(context.runtime.settings.encryption_key), id) };
}
