import type {
  organization_memberships,
  organizations,
  personal_api_keys,
  projects,
  users,
} from "#lib/platform/db/tables/accounts.ts";

export type OrganizationRow = typeof organizations.$inferSelect;
export type ProjectRow = typeof projects.$inferSelect;
export type UserRow = typeof users.$inferSelect;
export type KeyRow = typeof personal_api_keys.$inferSelect;
export type MembershipRow = typeof organization_memberships.$inferSelect;

/** Level from which a member administers the organization. */
export const ADMIN_LEVEL = 8;

export type Accounts = {
  organizations: Map<string, OrganizationRow>;
  projects: Map<number, ProjectRow>;
  users: Map<number, UserRow>;
  /** Membership levels by "organization/user". */
  levels: Map<string, number>;
  byToken: Map<string, ProjectRow>;
  bySecret: { get(secret: string): ProjectRow | undefined };
};

type RememberedAccounts = {
  accounts: Accounts | null;
  /** By the digest of the key. */
  keys: Map<string, KeyRow>;
};

/** What requests ask about accounts on their way in. The identity module answers. */
export type Directory = {
  current(): Promise<Accounts>;
  /**
   * Reads everything again: it has changed.
   *
   * @param keyId the key that has changed, which does not go on serving even if the database is away
   */
  drop(keyId?: string): void;
  /** Reads everything again at the next question, if the database answers: it may have changed. */
  doubt(): void;
  /** Calls `seen` whenever something of it has changed, or may have. */
  watch(seen: () => void): void;
  /** What was last read; for another process that starts without its database. */
  remembered(): RememberedAccounts;
  /** Serves this until the database can be asked. */
  recall(remembered: RememberedAccounts): void;
  /** The valid key and its active owner, or null. Records that the key was used, at most once a minute. */
  authenticate(value: string, now: Date): Promise<{ user: UserRow; key: KeyRow } | null>;
  /** Membership level of a person in an organization; 0 for a stranger. */
  level(organizationId: string, userId: number): Promise<number>;
  /** The projects that a key opens: those of its owner's organizations, within the key's own restriction. */
  projectsOf(user: UserRow, key: KeyRow): Promise<ProjectRow[]>;
};

/** A key with every scope, for what the process itself does in somebody's name; it is not stored. */
export const unstoredKey = (userId: number, now: Date): KeyRow => ({
  id: "",
  user_id: userId,
  label: "",
  secure_value: "",
  mask_value: "",
  scopes: ["*"],
  scoped_teams: [],
  scoped_organizations: [],
  created_at: now,
  last_used_at: null,
  last_rolled_at: null,
  expires_at: null,
});

/** Whether a key's own restriction to projects or organizations leaves this project open. */
export function keyAdmits(key: KeyRow, project: ProjectRow): boolean {
  if (key.scoped_teams.length > 0) return key.scoped_teams.includes(project.id);
  if (key.scoped_organizations.length > 0) return key.scoped_organizations.includes(project.organization_id);
  return true;
}
