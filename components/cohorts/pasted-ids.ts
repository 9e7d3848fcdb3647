/** Ids from pasted text: one per line, or separated by commas, semicolons or tabs; without duplicates. */
export const idsIn = (text: string): string[] => [
  ...new Set(
    text
      .split(/[\n\r\t,;]+/)
      .map((id) => id.trim().replace(/^"(.*)"$/, "$1"))
      .filter(Boolean),
  ),
];
