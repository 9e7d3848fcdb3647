export const ADMINISTRATOR = 8;

export const LEVELS = [
  { value: "1", label: "Member" },
  { value: "8", label: "Administrator" },
  { value: "15", label: "Owner" },
] as const;

export const levelInWords = (level: number): string =>
  LEVELS.find((each) => each.value === String(level))?.label ?? `Level ${level}`;
