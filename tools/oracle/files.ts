import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** One recorded input and output. Members beyond the id depend on the kind. */
export type OracleCase = { readonly id: string } & Readonly<Record<string, unknown>>;

/** One file of recorded cases. */
export interface OracleFile {
  readonly name: string;
  /** Every member of the file but its cases: `now`, for instance. */
  readonly header: Readonly<Record<string, unknown>>;
  readonly cases: readonly OracleCase[];
}

/** The JSON files of a folder, by name. */
export function oracleFileNames(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .sort();
}

/**
 * The kind a file's name starts with: the longest known one, so that `flag-eval-public.json` is not `flag`.
 * @returns null when no known kind fits
 */
export function kindOf(name: string, kinds: readonly string[]): string | null {
  const fitting = kinds.filter((kind) => name.startsWith(`${kind}-`) || name === `${kind}.json`);
  return fitting.sort((a, b) => b.length - a.length)[0] ?? null;
}

/** Reads one file. */
export function readOracleFile(folder: string, name: string): OracleFile {
  const { cases, ...header } = JSON.parse(readFileSync(join(folder, name), "utf8")) as {
    cases: readonly OracleCase[];
  };
  if (!Array.isArray(cases) || cases.length === 0) throw new Error(`${name} has no cases`);
  return { name, header, cases };
}
