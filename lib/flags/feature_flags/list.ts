import type { Flag } from "./cache.ts";
import { usesCohort } from "./filters/filters.ts";
import type { FlagListQuery } from "./schema.ts";
import { statusOf } from "./status.ts";

type Test = (flag: Flag) => boolean;

const variantCount = (flag: Flag): number => {
  const multivariate = flag.filters.multivariate as { variants?: unknown[] } | null | undefined;
  return multivariate?.variants?.length ?? 0;
};

/** A JSON list of texts; null where it is none (such a filter is ignored). */
function textList(json: string): string[] | null {
  try {
    const value: unknown = JSON.parse(json);
    return Array.isArray(value) ? value.map(String) : null;
  } catch {
    return null;
  }
}

function activeTest(active: string, now: Date): Test {
  if (active === "STALE") return (flag) => statusOf(flag, now).status === "STALE";
  const wanted = active.toLowerCase() === "true";
  return (flag) => flag.active === wanted;
}

const TYPES: Record<string, Test> = {
  boolean: (flag) => variantCount(flag) === 0,
  multivariant: (flag) => variantCount(flag) > 0,
  experiment: (flag) => flag.experiment_set.length > 0,
  remote_config: (flag) => flag.is_remote_configuration === true,
};

const RUNTIMES: Record<string, string> = { both: "all", all: "all", client: "client", server: "server" };

const haystacks = new WeakMap<Flag, string>();

function haystackOf(flag: Flag): string {
  let text = haystacks.get(flag);
  if (text === undefined) {
    text = `${flag.key}\n${flag.name}`.toLowerCase();
    haystacks.set(flag, text);
  }
  return text;
}

type Filter = Exclude<keyof FlagListQuery, "limit" | "offset" | "order">;

/** The test that each filter of the list stands for; null where its value is ignored. */
const FILTERS: Record<Filter, (value: string, now: Date) => Test | null | undefined> = {
  active: activeTest,
  created_by_id: (ids) => {
    const creators = ids.match(/\d+/g)?.map(Number);
    return (flag) => creators?.includes(flag.created_by_id ?? -1) ?? false;
  },
  evaluation_runtime: (name) => {
    const stored = RUNTIMES[name];
    return (flag) => flag.evaluation_runtime === stored;
  },
  excluded_properties: (json) => {
    const excluded = textList(json);
    return excluded && ((flag) => !excluded.includes(flag.key));
  },
  cohort_id: (id) => (flag) => usesCohort(flag.filters, id),
  search: (text) => {
    const needle = text.trim().toLowerCase();
    return needle === "" ? null : (flag) => haystackOf(flag).includes(needle);
  },
  type: (name) => TYPES[name],
  tags: (json) => {
    const tags = textList(json);
    return tags && tags.length > 0 ? (flag) => flag.tags.some((tag) => tags.includes(tag)) : null;
  },
};

function tests(query: FlagListQuery, now: Date): Test[] {
  const wanted = (Object.keys(FILTERS) as Filter[]).flatMap((name) => {
    const value = query[name];
    return (value && FILTERS[name](value, now)) || [];
  });
  return [(flag) => !flag.targets_survey, ...wanted];
}

const SORTABLE = [
  "id",
  "key",
  "name",
  "active",
  "created_at",
  "updated_at",
  "version",
  "last_called_at",
] as const;

function sorted(flags: Flag[], order: string | undefined): Flag[] {
  if (!order || order === "-created_at") return flags;
  const descending = order.startsWith("-");
  const field = SORTABLE.find((name) => name === order.replace(/^-/, ""));
  if (!field) return flags;
  const value = (flag: Flag) => {
    const found = flag[field];
    return found instanceof Date
      ? found.getTime()
      : typeof found === "string"
        ? found.toLowerCase()
        : Number(found ?? 0);
  };
  const direction = descending ? -1 : 1;
  return flags.sort((a, b) => {
    const [x, y] = [value(a), value(b)];
    return x < y ? -direction : x > y ? direction : b.id - a.id;
  });
}

/**
 * The flags that a list request asks for, in its order, before paging.
 *
 * @param live flags that are not deleted, newest first
 */
export function filterFlags(live: readonly Flag[], query: FlagListQuery, now: Date): Flag[] {
  const wanted = tests(query, now);
  return sorted(
    live.filter((flag) => wanted.every((test) => test(flag))),
    query.order,
  );
}
