import type { DashboardTile } from "./store.ts";

type Kind = DashboardTile["query"]["kind"];

const TEXTS: Record<Kind, (key: string) => { name: string; description: string }> = {
  FlagCalls: (key) => ({
    name: "Feature Flag Called Total Volume",
    description: `How often ${key} was evaluated, a day.`,
  }),
  FlagCallsByValue: (key) => ({
    name: "Feature Flag calls made by value",
    description: `Which values ${key} was answered with, a day.`,
  }),
  FlagViews: (key) => ({
    name: "Feature Viewed Total Volume",
    description: `How often the feature behind ${key} was seen, a day.`,
  }),
  FlagInteractions: (key) => ({
    name: "Feature Interaction Total Volume",
    description: `How often the feature behind ${key} was used, a day.`,
  }),
};

/** The kinds a usage dashboard starts with. */
export const USAGE_KINDS: readonly Kind[] = ["FlagCalls", "FlagCallsByValue"];

/** The kinds that enriched analytics adds. */
export const ENRICHED_KINDS: readonly Kind[] = ["FlagViews", "FlagInteractions"];

/** Name of the dashboard created for a flag. */
export const usageDashboardName = (key: string) => `Generated Dashboard: ${key} Usage`;

/** Description of the dashboard created for a flag. */
export const usageDashboardDescription = (key: string) =>
  `How ${key} is called, and what it answers with. Made together with the flag.`;

const tile = (id: number, kind: Kind, key: string): DashboardTile => ({
  id,
  ...TEXTS[kind](key),
  query: { kind, feature_flag_key: key },
});

/** Appends tiles of further kinds; a kind that already exists is not added again. */
export function withKinds(tiles: readonly DashboardTile[], kinds: readonly Kind[], key: string) {
  const has = (kind: Kind) => tiles.some((t) => t.query.kind === kind && t.query.feature_flag_key === key);
  const first = Math.max(0, ...tiles.map((t) => t.id)) + 1;
  return [...tiles, ...kinds.filter((kind) => !has(kind)).map((kind, i) => tile(first + i, kind, key))];
}

/** Tiles about a flag, renamed to its new key; texts that somebody wrote over the generated ones stay. */
export function renameTiles(tiles: readonly DashboardTile[], from: string, to: string): DashboardTile[] {
  return tiles.map((t) => {
    if (t.query.feature_flag_key !== from) return t;
    const [old, renamed] = [TEXTS[t.query.kind](from), TEXTS[t.query.kind](to)];
    return {
      ...t,
      description: t.description === old.description ? renamed.description : t.description,
      query: { ...t.query, feature_flag_key: to },
    };
  });
}
