"use server";

import { revalidatePath } from "next/cache";
import { endSession } from "#lib/app/session/session.ts";

/** Ends one of one's own sessions. */
export async function endSessionAction(digest: string): Promise<void> {
  await endSession(digest);
  revalidatePath("/project/[project_id]/settings/sessions", "page");
}
