import type { MemberContext } from "#lib/flags/context.ts";
import { flagOf } from "#lib/flags/feature_flags/service.ts";
import type { Input } from "#lib/platform/http/contract.ts";
import { instant } from "#lib/platform/http/instant.ts";
import { neighbours } from "#lib/platform/http/paging.ts";
import type { sdkInstanceContract } from "./contract.ts";
import { targetOf } from "./receipt.ts";
import { findTrouble, listRelays } from "./relays.ts";
import type { SdkInstance, SdkSummary } from "./schema.ts";
import { type InstanceChoice, selectCallers, selectInstances, selectPrograms, type Target } from "./store.ts";

type Of<Name extends keyof typeof sdkInstanceContract> = Input<(typeof sdkInstanceContract)[Name]>;
type Context = Pick<MemberContext, "db" | "project" | "runtime" | "now">;
type Page = { limit: number; offset: number };

const momentOf = (ms: number) => instant(new Date(ms));

/** Instances of a project by where they are on the way to a target; what has been seen so far is stored first. */
async function readInstances({ db }: Context, target: Target, choice: InstanceChoice, page: Page) {
  const { count, instances } = await selectInstances(db, target, choice, page);
  return {
    count,
    results: instances.map(
      (row): SdkInstance => ({
        id: row.id,
        sdk: row.sdk,
        sdk_version: row.sdk_version,
        address: row.address,
        relay: row.relay_id === null ? null : { id: row.relay_id, name: row.relay_name ?? "" },
        as_of: momentOf(row.known),
        via: row.has_stream ? "stream" : "poll",
        sends_tags: row.is_tagged,
        state: row.state,
        flag_version: row.flag_version,
        definitions_version: row.number,
        first_seen_at: momentOf(row.first_seen),
        last_seen_at: momentOf(row.last_seen),
        due_at: momentOf(row.due),
        poll_interval_ms: row.interval_ms,
      }),
    ),
  };
}

/** The definitions as they are served now. */
async function latestTarget({ runtime, project }: Context): Promise<Target> {
  const content = (await runtime.definitions.project(project.id)).content();
  return { project_id: project.id, now: new Date(), content };
}

/**
 * The instances that have not got the latest definitions, although they should have by now: each has its own interval
 * and a margin. For whatever reports such things.
 */
export async function listInstancesBehind(context: Context, page: Page) {
  await context.runtime.instances.storeEverywhere(context.project.id);
  return readInstances(context, await latestTarget(context), { states: ["behind", "undelivered"] }, page);
}

export async function list(context: MemberContext, { query }: Of<"list">) {
  const { runtime, project } = context;
  const { flag: id, state, limit, offset, ...choice } = query;
  const flag = id === undefined ? null : await flagOf(context, id);
  await runtime.instances.storeEverywhere(project.id);
  const target = flag ? targetOf({ project, now: new Date() }, flag) : await latestTarget(context);
  const found = await readInstances(context, target, { states: state, ...choice }, { limit, offset });
  return { count: found.count, ...neighbours(context.url, query, found.count), results: found.results };
}

/** The relays of a project, and what of the latest definitions they have. */
export async function relays(context: MemberContext) {
  await context.runtime.instances.storeEverywhere(context.project.id);
  return { results: await listRelays(context.db, await latestTarget(context)) };
}

/** Relays that need somebody. */
export const listRelaysInTrouble = async (context: Context) =>
  findTrouble(context.db, await latestTarget(context));

export async function summary({ db, project, runtime }: MemberContext): Promise<SdkSummary> {
  await runtime.instances.storeEverywhere(project.id);
  const [programs, callers] = await Promise.all([
    selectPrograms(db, project.id),
    selectCallers(db, project.id),
  ]);
  return {
    instances: programs.map(({ first_seen, last_seen, ...program }) => ({
      ...program,
      first_seen_at: momentOf(first_seen),
      last_seen_at: momentOf(last_seen),
    })),
    callers: callers.map(({ first_seen, last_seen, ...caller }) => ({
      ...caller,
      first_seen_at: momentOf(first_seen),
      last_seen_at: momentOf(last_seen),
    })),
  };
}
