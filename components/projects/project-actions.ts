import type { z } from "zod";
import type { Outcome } from "#components/feature_flags/flag-actions.ts";
import type { MemberRecord, memberCreate, memberUpdate } from "#lib/identity/organizations/schema.ts";
import type { projectUpdate } from "#lib/identity/projects/schema.ts";

/** What the page lets the browser do with a project and its members. */
export type ProjectActions = {
  update: (projectId: string, body: z.input<typeof projectUpdate>) => Promise<Outcome<null>>;
  resetToken: (projectId: string) => Promise<Outcome<null>>;
  /** null where the API does not show it. */
  revealSecret: (projectId: string) => Promise<Outcome<string | null>>;
  rotateSecret: (projectId: string) => Promise<Outcome<string | null>>;
};

export type MemberActions = {
  add: (organizationId: string, body: z.input<typeof memberCreate>) => Promise<Outcome<MemberRecord>>;
  update: (
    organizationId: string,
    userUuid: string,
    body: z.input<typeof memberUpdate>,
  ) => Promise<Outcome<MemberRecord>>;
};

export const ADMINISTRATOR = 8;

export const LEVELS = [
  { value: "1", label: "Member" },
  { value: "8", label: "Administrator" },
  { value: "15", label: "Owner" },
] as const;

export const levelInWords = (level: number): string =>
  LEVELS.find((each) => each.value === String(level))?.label ?? `Level ${level}`;
