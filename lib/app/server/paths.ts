/** Whether a request target (a path, perhaps with a query) is the API's to answer. */
export type OwnsTarget = (target: string) => boolean;

const firstSegment = (target: string) => /^\/[^/?#]*/.exec(target)?.[0];

/** The API owns everything below the first segment of any of its paths; the rest is the dashboard's. */
export function ownerOf(paths: readonly string[]): OwnsTarget {
  const segments = new Set(paths.map(firstSegment));
  return (target) => {
    const segment = firstSegment(target);
    return segment !== undefined && segments.has(segment);
  };
}
