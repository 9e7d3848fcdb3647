import type { Operation } from "./document.ts";

/** What is filled in for a call. */
export type Filled = { params: Record<string, string>; query: Record<string, string>; body: string | null };

/** The path with its parameters filled in; what is not filled in yet stays as {name}. */
export const pathOf = (operation: Operation, params: Readonly<Record<string, string>>): string =>
  operation.path.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = params[name]?.trim();
    return value ? encodeURIComponent(value).replaceAll("%40", "@") : whole;
  });

const queryOf = (query: Readonly<Record<string, string>>): string => {
  const text = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== "")).toString();
  return text ? `?${text}` : "";
};

/** Names of the path parameters that still need a value. */
export const missingParams = (operation: Operation, params: Readonly<Record<string, string>>): string[] =>
  operation.parameters
    .filter((each) => each.in === "path" && !params[each.name]?.trim())
    .map((each) => each.name);

/** Whether a call may change something and needs confirmation. */
export const mayChange = (operation: Pick<Operation, "method" | "scope">): boolean =>
  operation.method !== "GET" && !operation.scope?.endsWith(":read");

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/** The call as a curl command; the key comes from the shell's own environment. */
export function buildCurl(operation: Operation, base: string, filled: Filled): string {
  const address = `${base}${pathOf(operation, filled.params)}${queryOf(filled.query)}`;
  const plain = /^[\w:/.@{}-]+$/.test(address);
  return [
    `curl ${operation.method === "GET" ? "" : `-X ${operation.method} `}${plain && !address.includes("{") ? address : quoted(address)}`,
    `-H "Authorization: Bearer $SWITCHYARD_API_KEY"`,
    ...(filled.body === null
      ? []
      : [`-H 'Content-Type: application/json'`, `-d ${quoted(compact(filled.body))}`]),
  ].join(" \\\n  ");
}

/** JSON without line breaks; anything else as it was typed. */
function compact(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body));
  } catch {
    return body;
  }
}
