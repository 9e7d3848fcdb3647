import type { Access } from "#components/kit/access.tsx";

const ADMINISTRATOR = 8;

export const LEVELS = [
  { value: "1", label: "Member" },
  { value: "8", label: "Administrator" },
  { value: "15", label: "Owner" },
] as const;

export const levelInWords = (level: number): string =>
  LEVELS.find((each) => each.value === String(level))?.label ?? `Level ${level}`;

/** Access that also requires an administrator; if the level is unknown, the API decides. */
export const forAdministrators = (access: Access, level: number | null, action: string): Access =>
  access.may_write && level !== null && level < ADMINISTRATOR
    ? { may_write: false, reason: `Only administrators of the organization can ${action}.` }
    : access;
