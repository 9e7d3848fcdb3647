import type { ExpiryChoice } from "#lib/identity/personal_api_keys/expiry.ts";
import type { KeyRecord } from "#lib/identity/personal_api_keys/schema.ts";

export type Reach = "everything" | "projects" | "organizations";

/** A key while it is described. */
export type KeyDraft = {
  label: string;
  scopes: string[];
  reach: Reach;
  projects: string[];
  organizations: string[];
  expiry: ExpiryChoice;
  date: string;
  /** Email address of another member; empty for yourself. */
  owner: string;
};

/** A new key: no scopes yet, with an expiry. */
export const newKeyDraft = (restricted: boolean, projectId: string): KeyDraft => ({
  label: "",
  scopes: [],
  reach: restricted ? "projects" : "everything",
  projects: restricted ? [projectId] : [],
  organizations: [],
  expiry: "90",
  date: "",
  owner: "",
});

export const draftOfKey = (key: KeyRecord): KeyDraft => ({
  label: key.label,
  scopes: [...key.scopes],
  reach:
    key.scoped_teams.length > 0
      ? "projects"
      : key.scoped_organizations.length > 0
        ? "organizations"
        : "everything",
  projects: key.scoped_teams.map(String),
  organizations: [...key.scoped_organizations],
  expiry: "keep",
  date: "",
  owner: "",
});

/** The restriction of the key, as API fields. */
export const restrictionOf = (draft: KeyDraft) => ({
  scoped_teams: draft.reach === "projects" ? draft.projects.map(Number) : [],
  scoped_organizations: draft.reach === "organizations" ? draft.organizations : [],
});

export type KeyProblems = Partial<Record<"label" | "scopes" | "reach" | "expiry" | "owner" | "all", string>>;

/** What can be checked without the API. */
export function findDraftProblems(draft: KeyDraft): KeyProblems {
  const problems: KeyProblems = {};
  if (!draft.label.trim()) problems.label = "Say what the key is for.";
  if (draft.scopes.length === 0) problems.scopes = "A key needs at least one scope.";
  if (draft.reach === "projects" && draft.projects.length === 0)
    problems.reach = "Choose at least one project.";
  if (draft.reach === "organizations" && draft.organizations.length === 0)
    problems.reach = "Choose at least one organization.";
  if (draft.expiry === "date" && !draft.date) problems.expiry = "Choose a day.";
  return problems;
}

const FIELDS: Record<string, keyof KeyProblems> = {
  label: "label",
  scopes: "scopes",
  scoped_teams: "reach",
  scoped_organizations: "reach",
  expires_at: "expiry",
  user: "owner",
};

/** The API's error at the field that caused it. */
export const problemsOf = (error: { attr: string | null; detail: string }): KeyProblems => ({
  [FIELDS[error.attr?.split("__")[0] ?? ""] ?? "all"]: error.detail,
});

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
