"use server";

import { revalidatePath } from "next/cache";
import type { z } from "zod";
import { actionResult, writeResult } from "#lib/app/session/action-result.ts";
import { requireSession, signIn, signOut } from "#lib/app/session/session.ts";
import { personalApiKeyContract } from "#lib/identity/personal_api_keys/contract.ts";
import type { keyCreate, keyUpdate } from "#lib/identity/personal_api_keys/schema.ts";

const PAGES = "/project/[project_id]/settings/api_keys";

export async function create(body: z.input<typeof keyCreate>) {
  return writeResult(PAGES, (api) => api.call(personalApiKeyContract.create, { body }));
}

export async function update(id: string, body: z.input<typeof keyUpdate>) {
  return writeResult(PAGES, (api) =>
    api.call(personalApiKeyContract.partial_update, { params: { id }, body }),
  );
}

/** A new value for a key; whoever rolls the key that they are signed in with stays signed in. */
export async function roll(id: string) {
  return writeResult(PAGES, async (api) => {
    const inUse = await api.call(personalApiKeyContract.current);
    const rolled = await api.call(personalApiKeyContract.roll, { params: { id } });
    if (inUse.id === id) await signIn({ ...(await requireSession()), api_key: rolled.value });
    return rolled;
  });
}

/** Ends a key; whoever ends the key that they are signed in with is signed out. */
export async function revoke(id: string) {
  const result = await actionResult(async (api) => {
    const inUse = await api.call(personalApiKeyContract.current);
    await api.call(personalApiKeyContract.destroy, { params: { id } });
    if (inUse.id === id) await signOut();
    return { signed_out: inUse.id === id };
  });
  if (result.ok && !result.data.signed_out) revalidatePath(PAGES, "layout");
  return result;
}
