import type { z } from "zod";
import type { Outcome } from "#components/feature_flags/flag_actions.ts";
import type { KeyRecord, keyCreate, keyUpdate, keyWithValue } from "#lib/personal_api_keys/schema.ts";

export type KeyWithValue = z.output<typeof keyWithValue>;

/** What the page lets the browser do with keys: server actions that write with the signed-in key. */
export type KeyActions = {
  create: (body: z.input<typeof keyCreate>) => Promise<Outcome<KeyWithValue>>;
  update: (id: string, body: z.input<typeof keyUpdate>) => Promise<Outcome<KeyRecord>>;
  roll: (id: string) => Promise<Outcome<KeyWithValue>>;
  revoke: (id: string) => Promise<Outcome<{ signed_out: boolean }>>;
};

/** What the key in use can hand on, and to whom. */
export type KeyGrants = {
  /** null where the API does not tell. */
  scopes: readonly string[] | null;
  /** The key in use is itself restricted, so that every key it makes has to be. */
  restricted: boolean;
  projects: readonly { id: number; name: string }[];
  organizations: readonly { id: string; name: string }[];
  /** Members that it may make keys for besides its owner; empty for those who administer nothing. */
  members: readonly { email: string; name: string }[];
};
