import { createHash } from "node:crypto";
import type { Json } from "#lib/engines/json.ts";

/** The parts of an experiment that a metric's figures depend on. */
export type Circumstances = {
  start_date: Date | null;
  stats_config: Json | null;
  exposure_criteria: Json | null;
};

/** Members that name a metric or say how it is shown, and do not affect what it counts. */
const NAMES = new Set(["uuid", "name", "kind", "fingerprint", "currency"]);

const byCodePoint = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

const escaped = (text: string): string =>
  JSON.stringify(text).replace(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

/** JSON with its keys in order, no spaces, and nothing but printable ASCII: equal data, equal text. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value === "object" && value !== null) {
    const members = Object.entries(value).filter(([, member]) => member !== undefined);
    members.sort(([a], [b]) => byCodePoint(a, b));
    return `{${members.map(([key, member]) => `${escaped(key)}:${canonicalJson(member)}`).join(",")}}`;
  }
  return typeof value === "string" ? escaped(value) : JSON.stringify(value ?? null);
}

/** A moment with an explicit offset, and fractions of a second only if there are any. */
const isoOf = (date: Date): string =>
  date.toISOString().replace(/\.(\d{3})Z$/, (_, ms) => (ms === "000" ? "+00:00" : `.${ms}000+00:00`));

const isEmpty = (value: Json | null): boolean => value === null || Object.keys(value).length === 0;

/**
 * The fingerprint of a metric's configuration in an experiment: stored figures are those of one fingerprint. Any
 * change of the metric (but for its names), of the launch, of the statistics or of who counts as exposed gives
 * another one.
 *
 * @returns SHA-256 of the canonical JSON, in hexadecimal
 */
export function computeFingerprint(metric: Json, experiment: Circumstances): string {
  const counted = Object.fromEntries(Object.entries(metric).filter(([key]) => !NAMES.has(key)));
  const { start_date, stats_config, exposure_criteria } = experiment;
  const hashed = {
    metric: counted,
    experiment: { start_date: start_date && isoOf(start_date), stats_config },
    ...(!isEmpty(exposure_criteria) && { exposure_criteria }),
  };
  return createHash("sha256").update(canonicalJson(hashed)).digest("hex");
}
