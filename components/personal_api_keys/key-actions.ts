import type { z } from "zod";
import type { Outcome } from "#components/feature_flags/flag-actions.ts";
import type {
  KeyRecord,
  keyCreate,
  keyUpdate,
  keyWithValue,
} from "#lib/identity/personal_api_keys/schema.ts";

export type KeyWithValue = z.output<typeof keyWithValue>;

/** The server actions on keys that the page passes to the browser; they write with the signed-in key. */
export type KeyActions = {
  create: (body: z.input<typeof keyCreate>) => Promise<Outcome<KeyWithValue>>;
  update: (id: string, body: z.input<typeof keyUpdate>) => Promise<Outcome<KeyRecord>>;
  roll: (id: string) => Promise<Outcome<KeyWithValue>>;
  revoke: (id: string) => Promise<Outcome<{ signed_out: boolean }>>;
};

/** What the key in use can grant, and to whom. */
export type KeyGrants = {
  /** null if the API does not say. */
  scopes: readonly string[] | null;
  /** The key in use is restricted, so every key it creates must be. */
  restricted: boolean;
  projects: readonly { id: number; name: string }[];
  organizations: readonly { id: string; name: string }[];
  /** Members it can create keys for besides its owner; empty for non-administrators. */
  members: readonly { email: string; name: string }[];
};
