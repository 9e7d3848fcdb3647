import type { JsonPath, JsonSuggestion } from "#components/ui/form/json/json-positions.ts";

/** A problem and its place. */
export type PlacedProblem = { path: JsonPath; message: string };

/** What a text says as JSON, or why it says nothing. */
export function parseJson(text: string): { json: unknown; problem: null } | { problem: PlacedProblem } {
  try {
    return { json: JSON.parse(text), problem: null };
  } catch (error) {
    const message = `Not valid JSON: ${error instanceof Error ? error.message : "it cannot be read"}`;
    return { problem: { path: [], message } };
  }
}

type Issue = { path: readonly PropertyKey[]; message: string };

/** The problem that a schema found first. */
export const placedIssue = ({ path, message }: Issue): PlacedProblem => ({
  path: path.map((part) => (typeof part === "number" ? part : String(part))),
  message,
});

/** A problem as one text, with its place before it. */
export const problemText = ({ path, message }: PlacedProblem): string =>
  path.length > 0 ? `${path.join(" › ")}: ${message}` : message;

/** A place as one text for all members of a list: `groups/*`. */
export const patternOf = (path: JsonPath): string =>
  path.map((part) => (typeof part === "number" ? "*" : part)).join("/");

type Shape = Record<string, { meta?: () => { description?: string } | undefined }>;

/** Names of members to complete, with their descriptions, from a schema's shape. */
export const suggestKeys = (shape: object): JsonSuggestion[] =>
  Object.entries(shape as Shape).map(([label, member]) => ({
    label,
    info: member.meta?.()?.description ?? "",
  }));
