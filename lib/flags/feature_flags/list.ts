import type { Flag } from "./cache.ts";
import type { FlagListQuery } from "./schema.ts";
import { statusOf } from "./status.ts";

type Test = (flag: Flag) => boolean;

const variantCount = (flag: Flag): number => {
  const multivariate = flag.filters.multivariate as { variants?: unknown[] } | null | undefined;
  return multivariate?.variants?.length ?? 0;
};

/** A JSON list of texts; null where it is none (such a filter is ignored). */
function textList(json: string | undefined): string[] | null {
  if (!json) return null;
  try {
    const value: unknown = JSON.parse(json);
    return Array.isArray(value) ? value.map(String) : null;
  } catch {
    return null;
  }
}

function activeTest(active: string | undefined, now: Date): Test | null {
  if (!active) return null;
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

function tests(query: FlagListQuery, now: Date): Test[] {
  const list: (Test | null | undefined | false)[] = [
    (flag) => !flag.targets_survey,
    activeTest(query.active, now),
  ];
  const creators = query.created_by_id?.match(/\d+/g)?.map(Number);
  if (query.created_by_id) list.push((flag) => creators?.includes(flag.created_by_id ?? -1) ?? false);
  if (query.evaluation_runtime) {
    const stored = RUNTIMES[query.evaluation_runtime];
    list.push((flag) => flag.evaluation_runtime === stored);
  }
  const excluded = textList(query.excluded_properties);
  if (excluded) list.push((flag) => !excluded.includes(flag.key));
  const needle = query.search?.trim().toLowerCase();
  if (needle) list.push((flag) => haystackOf(flag).includes(needle));
  if (query.type) list.push(TYPES[query.type]);
  const tags = textList(query.tags);
  if (tags && tags.length > 0) list.push((flag) => flag.tags.some((tag) => tags.includes(tag)));
  return list.filter((test) => typeof test === "function");
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
