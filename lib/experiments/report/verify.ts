import {
  canonical,
  type ReportDefinitions,
  type ReportDocument,
  type ReportFigures,
  type ReportSeals,
} from "./document.ts";
import { computeFigures } from "./figures.ts";
import { computeSeals } from "./seal.ts";

/** Where two things differ first: in words, with both values. */
export interface Difference {
  readonly where: string;
  readonly stated: string;
  readonly found: string;
}

/** Browsers' exp and log may differ in the last digit; nothing that anyone reads does. */
const TOLERANCE = 1e-9;

type Path = readonly (string | number)[];

const isNested = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

const near = (a: number, b: number) =>
  Math.abs(a - b) <= TOLERANCE * Math.max(1e-3, Math.abs(a), Math.abs(b));

/** The first index where two JSON values differ, in the order of the first one's members. */
function firstDifference(
  stated: unknown,
  found: unknown,
  path: Path = [],
): { path: Path; stated: unknown; found: unknown } | null {
  if (typeof stated === "number" && typeof found === "number")
    return near(stated, found) ? null : { path, stated, found };
  if (!isNested(stated) || !isNested(found) || Array.isArray(stated) !== Array.isArray(found))
    return (stated ?? null) === (found ?? null) ? null : { path, stated, found };
  const names = [...new Set([...Object.keys(stated), ...Object.keys(found)])];
  for (const name of names) {
    const index = Array.isArray(stated) ? Number(name) : name;
    const difference = firstDifference(stated[name], found[name], [...path, index]);
    if (difference) return difference;
  }
  return null;
}

const plain = (name: string | number) => String(name).replaceAll("_", " ");

/** A path into the figures as a person would say it: metric, variant, which number. */
function describePath(path: Path, definitions: ReportDefinitions, figures: ReportFigures): string {
  const [part, index, ...rest] = path;
  if (part !== "metrics" || typeof index !== "number") return path.map(plain).join(", ");
  const metric = figures.metrics[index];
  const name = definitions.metrics.find(({ id }) => id === metric?.id)?.name ?? `metric ${index + 1}`;
  const [kind, position, ...tail] = rest;
  if (kind === "variants" && typeof position === "number")
    return `${name}, variant ${metric?.variants[position]?.key ?? position}: ${tail.map(plain).join(" ")}`;
  if (kind === "days" && typeof position === "number")
    return `${name}, ${metric?.days[position]?.day ?? position}: ${tail.slice(1).map(plain).join(" ")}`;
  return `${name}: ${rest.map(plain).join(" ")}`;
}

/** What checking a report came to. */
export type Verdict =
  | { readonly verified: true; readonly figures: ReportFigures; readonly numbers: number }
  | { readonly verified: false; readonly difference: Difference };

function brokenSeal(stated: ReportSeals, found: ReportSeals): Difference | null {
  for (const part of ["definitions", "data", "all"] as const)
    if (stated[part] !== found[part])
      return {
        where: part === "all" ? "the seal" : `the ${part} under the seal`,
        stated: stated[part],
        found: found[part],
      };
  return null;
}

function countNumbers(value: unknown): number {
  if (typeof value === "number") return 1;
  return isNested(value)
    ? Object.values(value).reduce<number>((sum, each) => sum + countNumbers(each), 0)
    : 0;
}

const shown = (value: unknown): string => (value === undefined ? "nothing" : canonical(value));

/** Checks the seals, then recomputes every figure and compares it with the stated one. */
export function verify(report: ReportDocument): Verdict {
  const { definitions, data } = report;
  const broken = brokenSeal(report.seals, computeSeals(definitions, data));
  const figures = computeFigures(definitions, data);
  const wrong = firstDifference(report.figures, figures);
  if (wrong)
    return {
      verified: false,
      difference: {
        where: describePath(wrong.path, definitions, figures),
        stated: shown(wrong.stated),
        found: shown(wrong.found),
      },
    };
  if (broken) return { verified: false, difference: broken };
  return { verified: true, figures, numbers: countNumbers(figures) };
}

/** The comparison of one part of two reports. */
export interface Comparison {
  readonly part: "definitions" | "data" | "engine" | "figures";
  readonly same: boolean;
  readonly first: Difference | null;
}

function compareParts(part: Comparison["part"], here: unknown, there: unknown): Comparison {
  const found = firstDifference(here, there);
  if (!found) return { part, same: true, first: null };
  const where = found.path.map(plain).join(" › ");
  return { part, same: false, first: { where, stated: shown(found.stated), found: shown(found.found) } };
}

/** What changed between two reports: the question, the data, the engine, and what came out. */
export const compareReports = (here: ReportDocument, there: ReportDocument): Comparison[] =>
  (["definitions", "data", "engine", "figures"] as const).map((part) =>
    compareParts(part, here[part], there[part]),
  );
