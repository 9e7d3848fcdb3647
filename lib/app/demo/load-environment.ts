import type { ServedRuntime } from "#lib/app/runtime.ts";
import { promote } from "#lib/flags/environments/promote.ts";
import { type FlagChange, flagCreate, flagUpdate } from "#lib/flags/feature_flags/schema.ts";
import { create as createFlag, partial_update as updateFlag } from "#lib/flags/feature_flags/service.ts";
import { create as linkEnvironments } from "#lib/identity/environments/service.ts";
import { selectLinked } from "#lib/identity/environments/store.ts";
import { create as createProject } from "#lib/identity/projects/service.ts";
import { markAsDemo } from "#lib/identity/projects/store.ts";
import type * as http from "#lib/platform/http/context.ts";
import type { DemoFlag } from "./flags.ts";

type MemberContext = http.MemberContext<ServedRuntime>;

const NAME = "Demo project (staging)";
/** One of so many flags is in staging as well. */
const EVERY = 6;

/** What staging is ahead by: flags with targeting that is simple enough to be rolled out to everybody. */
const AHEAD: readonly FlagChange[] = [
  { filters: { groups: [{ properties: [], rollout_percentage: 100 }] } },
  { filters: { groups: [{ properties: [], rollout_percentage: 60 }] }, name: "Ready for a first look" },
  { active: false },
  { filters: { groups: [{ properties: [], rollout_percentage: 100 }] }, tags: ["beta"] },
  { evaluation_runtime: "server" },
];

const ONLY_THERE = [
  { key: "one-tap-reorder", name: "Order the same things again with one tap" },
  { key: "shared-baskets", name: "Fill a basket together", active: false },
];

/** In both environments, targeted otherwise in each, and changed in neither for some time. */
const LEFT_DIFFERENT = { key: "gift-wrapping", name: "Offer to wrap orders as gifts" };
const LEFT_FOR_MS = 12 * 86_400_000;
const forPlans = (value: string[], rollout_percentage: number) => ({
  groups: [{ properties: [{ key: "plan", type: "person", operator: "exact", value }], rollout_percentage }],
});

/** The project that is the staging environment of the demo, made and linked where there is none. */
async function stagingOf(context: MemberContext): Promise<MemberContext> {
  const { db, project, runtime } = context;
  const projectOf = async (id: number) => {
    const found = (await runtime.directory.current()).projects.get(id);
    if (!found) throw new Error("The staging environment of the demo is not known yet.");
    return { ...context, project: found };
  };
  const linked = (await selectLinked(db, project.id)).find(({ project_id }) => project_id !== project.id);
  if (linked) return projectOf(linked.project_id);
  const organization_id = project.organization_id;
  const body = { name: NAME, organization: organization_id };
  const { id } = await createProject(context, { params: {}, query: {}, body });
  await markAsDemo(db, id);
  const environments = [
    { project_id: id, name: "Staging" },
    { project_id: project.id, name: "Production" },
  ];
  await linkEnvironments(context, { params: { organization_id }, query: {}, body: { environments } });
  runtime.directory.drop();
  return projectOf(id);
}

async function copyFlags(
  context: MemberContext,
  from: MemberContext,
  flags: readonly DemoFlag[],
): Promise<void> {
  const keys = flags.filter((_, place) => place % EVERY === 0).map(({ key }) => key);
  const stored = new Map(
    (await from.runtime.flags.project(from.project.id)).live.map((flag) => [flag.key, flag.version]),
  );
  const asked = keys.flatMap((key) => (stored.has(key) ? [{ key, version: stored.get(key) }] : []));
  const call = { params: { project_id: "" }, query: {} };
  const body = { from_project: from.project.id, flags: asked };
  const rehearsed = await promote(context, { ...call, body: { ...body, dry_run: true } });
  // Those that depend on flags that are not copied stay out.
  const possible = new Set(rehearsed.flags.filter(({ state }) => state === "new").map(({ key }) => key));
  await promote(context, { ...call, body: { ...body, flags: asked.filter(({ key }) => possible.has(key)) } });
}

/** A second, smaller project, whose flags are partly ahead of those of the demo. */
export async function loadEnvironment(
  context: MemberContext,
  flags: readonly DemoFlag[],
  fill: (context: MemberContext) => Promise<void>,
): Promise<void> {
  const staging = await stagingOf(context);
  const read = async () => (await staging.runtime.flags.project(staging.project.id)).live;
  if ((await read()).length > 0) return;
  await fill(staging);
  await copyFlags(staging, context, flags);
  const simple = (await read()).filter(
    ({ active, filters }) => active && !filters.multivariate && JSON.stringify(filters).length < 100,
  );
  for (const [place, body] of AHEAD.entries()) {
    const flag = simple[place];
    if (flag)
      await updateFlag(staging, {
        params: { project_id: "", id: flag.id },
        query: {},
        body: flagUpdate.parse(body),
      });
  }
  const create = (where: MemberContext, body: object) =>
    createFlag(where, { params: { project_id: "" }, query: {}, body: flagCreate.parse(body) });
  for (const body of ONLY_THERE) await create(staging, body);
  const earlier = new Date(context.now.getTime() - LEFT_FOR_MS);
  const left = (plans: string[], share: number) => ({ ...LEFT_DIFFERENT, filters: forPlans(plans, share) });
  await create({ ...staging, now: earlier }, left(["pro", "team"], 100));
  await create({ ...context, now: earlier }, left(["pro"], 50));
}
