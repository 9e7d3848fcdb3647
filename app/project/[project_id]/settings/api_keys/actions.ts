"use server";

import { revalidatePath } from "next/cache";
import type { z } from "zod";
import { type ActionResult, actionResult } from "#lib/app/session/action-result.ts";
import { getApi } from "#lib/app/session/api.ts";
import { requireSession, signIn, signOut } from "#lib/app/session/session.ts";
import { personalApiKeyContract } from "#lib/identity/personal_api_keys/contract.ts";
import type {
  KeyRecord,
  keyCreate,
  keyUpdate,
  keyWithValue,
} from "#lib/identity/personal_api_keys/schema.ts";

type KeyWithValue = z.output<typeof keyWithValue>;

const refresh = () => revalidatePath("/project/[project_id]/settings/api_keys", "page");

export async function createKey(body: z.input<typeof keyCreate>): Promise<ActionResult<KeyWithValue>> {
  const api = await getApi();
  const result = await actionResult(() => api.call(personalApiKeyContract.create, { body }));
  if (result.ok) refresh();
  return result;
}

export async function updateKey(
  id: string,
  body: z.input<typeof keyUpdate>,
): Promise<ActionResult<KeyRecord>> {
  const api = await getApi();
  const result = await actionResult(() =>
    api.call(personalApiKeyContract.partial_update, { params: { id }, body }),
  );
  if (result.ok) refresh();
  return result;
}

/** A new value for a key; whoever rolls the key that they are signed in with stays signed in. */
export async function rollKey(id: string): Promise<ActionResult<KeyWithValue>> {
  const api = await getApi();
  const result = await actionResult(async () => {
    const inUse = await api.call(personalApiKeyContract.current);
    const rolled = await api.call(personalApiKeyContract.roll, { params: { id } });
    if (inUse.id === id) await signIn({ ...(await requireSession()), api_key: rolled.value });
    return rolled;
  });
  if (result.ok) refresh();
  return result;
}

/** Ends a key; whoever ends the key that they are signed in with is signed out. */
export async function revokeKey(id: string): Promise<ActionResult<{ signed_out: boolean }>> {
  const api = await getApi();
  const result = await actionResult(async () => {
    const inUse = await api.call(personalApiKeyContract.current);
    await api.call(personalApiKeyContract.destroy, { params: { id } });
    if (inUse.id === id) await signOut();
    return { signed_out: inUse.id === id };
  });
  if (result.ok && !result.data.signed_out) refresh();
  return result;
}
