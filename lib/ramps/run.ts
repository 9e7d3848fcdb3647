import type { Runtime, SavingContext } from "#lib/flags/context.ts";
import { FlagMoved } from "#lib/flags/feature_flags/service.ts";
import { isPermanent } from "#lib/flags/scheduled_changes/run.ts";
import { type Db, inTransaction } from "#lib/platform/db/connect.ts";
import { ADMIN_LEVEL } from "#lib/platform/http/directory.ts";
import { defineJob } from "#lib/platform/jobs/define.ts";
import type { JobContext } from "#lib/platform/jobs/work.ts";
import { type Actor, pauseIn, readTarget, refused, type Saving, settleIn } from "./changes.ts";
import { observe } from "./observe.ts";
import { lockRamp, type RampRow, selectUnfinished } from "./store.ts";

/** Evidence is acted upon within a minute: this, and the time that events take to be stored. */
const TICK_MS = 20_000;
/** The flag keeps being changed by others: the job tries again later. */
const TRIES_MAX = 10;

type Job = JobContext<unknown, Runtime>;

/** Goes through all running ramps. */
export const rampTick = defineJob({
  name: "ramps.tick",
  every: TICK_MS,
  run: async (job: Job) =>
    job.each(
      (await selectUnfinished(job.db, null)).filter(({ status }) => status === "running"),
      ({ id }) => String(id),
      (ramp) => goOn(job, ramp),
    ),
});

/**
 * In whose name a project's flag is changed: its author's. Whether they may still is for the caller to heed; where there
 * is no such account any more, an administrator's, because rolling back must not fail for that.
 */
export async function savingFor(
  { runtime, db, now }: Pick<Job, "runtime" | "db" | "now">,
  { project_id, created_by_id }: { project_id: number; created_by_id: number | null },
): Promise<Saving> {
  const { projects, users, levels } = await runtime.directory.current();
  const project = projects.get(project_id);
  if (!project) throw new Error(`Project ${project_id} is not known yet.`);
  const of = (user: SavingContext["user"]) => ({ db, runtime, project, user, now });
  const author = users.get(created_by_id ?? 0);
  if (!author) {
    const level = (id: number) => levels.get(`${project.organization_id}/${id}`) ?? 0;
    const stand = [...users.values()].find((user) => user.is_active && level(user.id) >= ADMIN_LEVEL);
    if (!stand) throw new Error(`Nobody administers project ${project_id}.`);
    return { context: of(stand), problem: "The person who started it no longer has an account." };
  }
  const name = author.email;
  if (!author.is_active)
    return { context: of(author), problem: `The account of ${name}, who started it, is deactivated.` };
  const isMember = (await runtime.directory.level(project.organization_id, author.id)) > 0;
  const problem = isMember ? null : `${name}, who started it, no longer has access to this project.`;
  return { context: of(author), problem };
}

/**
 * Changes a flag in a transaction, again where it was changed by others meanwhile.
 *
 * @param work returns the flags that it has changed
 */
export async function changing<T extends { flag_ids: number[] }>(
  { runtime, db }: Pick<Job, "runtime" | "db">,
  { project_id, flag_id }: Pick<RampRow, "project_id" | "flag_id">,
  work: (tx: Db) => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      const done = await inTransaction(db, work);
      if (done.flag_ids.length > 0) runtime.flags.changed(project_id, done.flag_ids);
      return done;
    } catch (error) {
      if (!(error instanceof FlagMoved) || tries >= TRIES_MAX) throw error;
      // What is held in memory may be what is behind.
      runtime.flags.changed(project_id, [flag_id]);
    }
  }
}

/** Pauses a ramp whose change of the flag was refused for good. */
async function giveUp(tx: Db, actor: Actor, id: number, detail: string): Promise<void> {
  const ramp = await lockRamp(tx, id);
  if (ramp?.status !== "running") return;
  const { flag } = await readTarget(tx, actor.runtime, ramp);
  await pauseIn(tx, actor, ramp, flag.key, refused(detail));
}

/** Brings a ramp's figures up to date, and does what follows from them. */
async function goOn(job: Job, ramp: RampRow): Promise<void> {
  const { runtime, db, now } = job;
  const flagIn = async (tx: Db, of: RampRow) => {
    const { flag, problem } = await readTarget(tx, runtime, of);
    return problem ? null : flag;
  };
  await observe(db, runtime, ramp, flagIn, now);
  const actor: Actor = { runtime, now, user: null };
  const settle = (saving: () => Promise<Saving>) =>
    changing(job, ramp, async (tx) => ({ flag_ids: await settleIn(tx, ramp.id, { actor, saving }) }));
  const author = await savingFor(job, ramp);
  try {
    await runtime.asGranted(author.context, ramp.granted, () => settle(async () => author));
  } catch (error) {
    if (!isPermanent(error)) throw error;
    // Rolling back is never held: without the policies, only that changes the flag.
    await settle(async () => ({ ...author, problem: error.message })).catch((again: unknown) => {
      if (!isPermanent(again)) throw again;
      return inTransaction(db, (tx) => giveUp(tx, actor, ramp.id, again.message));
    });
  }
}
