/** Version numbers: three whole numbers, compared one after the other. */

/** Major, minor, patch. */
export type Version = readonly [number, number, number];

/** From `lower` up to but not including `upper`. */
export interface VersionRange {
  readonly lower: Version;
  readonly upper: Version;
}

/**
 * Reads a version: an optional `v`, then up to three numbers; missing ones are 0, what follows `-` or `+`
 * does not count.
 * @returns null for anything else, a number with a leading zero included (semver 2.0.0, section 2)
 */
export function parseVersion(value: string): Version | null {
  const base = withoutPrefix(value).split("-", 1)[0]?.split("+", 1)[0] ?? "";
  const parts = base.split(".");
  if (!parts[0]) return null;
  const [major, minor, patch] = [number(parts[0]), number(parts[1] || "0"), number(parts[2] || "0")];
  return major === null || minor === null || patch === null ? null : [major, minor, patch];
}

/** Below zero when a is older than b, zero when equal, above zero when newer. */
export function compareVersions(a: Version, b: Version): number {
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
}

/** Whether a version lies in a range. */
export function isWithin(version: Version, range: VersionRange): boolean {
  return compareVersions(version, range.lower) >= 0 && compareVersions(version, range.upper) < 0;
}

/** `~1.2.3`: 1.2.3 and its later patches. */
export function tildeRange(value: string): VersionRange | null {
  const lower = parseVersion(value);
  return lower && { lower, upper: [lower[0], lower[1] + 1, 0] };
}

/** `^1.2.3`: everything up to the next change of the first number that is not zero. */
export function caretRange(value: string): VersionRange | null {
  const lower = parseVersion(value);
  if (!lower) return null;
  const [major, minor, patch] = lower;
  if (major > 0) return { lower, upper: [major + 1, 0, 0] };
  return { lower, upper: minor > 0 ? [0, minor + 1, 0] : [0, 0, patch + 1] };
}

/** `1.*` or `1.2.*`: everything that starts that way. Numbers after the second do not count. */
export function wildcardRange(value: string): VersionRange | null {
  const parts = withoutPrefix(value).replace(/\.\*$/, "").replace(/\*$/, "").split(".");
  const major = number(parts[0] ?? "");
  if (major === null) return null;
  if (parts.length === 1) return { lower: [major, 0, 0], upper: [major + 1, 0, 0] };
  const minor = number(parts[1] ?? "");
  return minor === null ? null : { lower: [major, minor, 0], upper: [major, minor + 1, 0] };
}

function withoutPrefix(value: string): string {
  return value.trim().replace(/^[vV]/, "");
}

function number(text: string): number | null {
  return /^(0|[1-9]\d*)$/.test(text) ? Number(text) : null;
}
