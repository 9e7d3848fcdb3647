import { randomUUID } from "node:crypto";
import type { ActivityChange } from "#lib/activity/schema.ts";
import { type Author, authorOf, detailOf, type Trigger } from "#lib/activity/service.ts";
import { findPinProblem, fitsPattern } from "#lib/engines/evaluation/pins.ts";
import type { MemberContext, Runtime } from "#lib/flags/context.ts";
import { FLAGS_TOPIC, type Flag } from "#lib/flags/feature_flags/cache.ts";
import { readFlag } from "#lib/flags/feature_flags/filters/stored.ts";
import { flagEntry, PINS_FIELD } from "#lib/flags/feature_flags/history/changes.ts";
import { storableMoment } from "#lib/flags/feature_flags/rules.ts";
import { flagOf } from "#lib/flags/feature_flags/service.ts";
import { type FlagRow, lockFlag, updateFlagWhole } from "#lib/flags/feature_flags/store.ts";
import { userOf } from "#lib/identity/accounts/schema.ts";
import type { EraseStep } from "#lib/people/erasures/step.ts";
import { readPersonNames } from "#lib/people/persons/service.ts";
import {
  selectDistinctIds,
  selectPerson,
  selectPersonByDistinctId,
  selectPersonsByDistinctIds,
} from "#lib/people/persons/store.ts";
import { type Db, inTransaction } from "#lib/platform/db/connect.ts";
import { publish } from "#lib/platform/db/notify.ts";
import { requireScope } from "#lib/platform/http/auth.ts";
import type { Input } from "#lib/platform/http/contract.ts";
import { invalid, notFound } from "#lib/platform/http/errors.ts";
import { instant } from "#lib/platform/http/instant.ts";
import { neighbours } from "#lib/platform/http/paging.ts";
import { defineJob } from "#lib/platform/jobs/define.ts";
import type { JobContext } from "#lib/platform/jobs/work.ts";
import type { LoggedPin } from "./pin-words.ts";
import { PIN_IDS_MAX, PINS_MAX, type PinRecord, type pinsContract } from "./pins-contract.ts";
import { deletePinsOf, holdPerson, selectExpired, selectPinsOf } from "./pins-store.ts";

type StoredPin = FlagRow["pins"][number];
type Of<Name extends keyof typeof pinsContract> = Input<(typeof pinsContract)[Name]>;

const hasExpired = ({ until }: StoredPin, now: Date): boolean =>
  until !== null && Date.parse(until) <= now.getTime();

/** Pins as the API shows them; their people are named as they are now. */
async function recordsOf(
  context: MemberContext,
  flag: Pick<Flag, "filters">,
  pins: readonly StoredPin[],
): Promise<PinRecord[]> {
  const { db, project, runtime } = context;
  const people = await selectPersonsByDistinctIds(
    db,
    project.id,
    pins.flatMap(({ distinct_ids }) => distinct_ids),
  );
  const names = await readPersonNames(context, [...new Set([...people.values()].map(({ id }) => id))]);
  const accounts = await runtime.directory.current();
  return pins.map(({ created_by_id, ...pin }) => {
    const found = pin.distinct_ids.map((id) => people.get(id)).find((each) => each !== undefined);
    return {
      ...pin,
      person: (found && names.get(found.id)) ?? null,
      created_by: userOf(accounts, created_by_id),
      problem: findPinProblem(flag.filters, pin.value),
    };
  });
}

export async function pins(context: MemberContext, { params, query }: Of<"pins">) {
  const flag = await flagOf(context, params.id);
  const all = flag.pins.filter((pin) => !hasExpired(pin, context.now));
  return {
    count: all.length,
    ...neighbours(context.url, query, all.length),
    results: await recordsOf(context, flag, all.slice(query.offset, query.offset + query.limit)),
  };
}

/** What was done to the pins of a flag. */
async function changesOf(
  tx: Db,
  projectId: number,
  before: readonly StoredPin[],
  after: readonly StoredPin[],
): Promise<ActivityChange[]> {
  const ids = (pins: readonly StoredPin[]) => new Set(pins.map(({ id }) => id));
  const gone = before.filter(({ id }) => !ids(after).has(id));
  const made = after.filter(({ id }) => !ids(before).has(id));
  const people = await selectPersonsByDistinctIds(
    tx,
    projectId,
    [...gone, ...made].flatMap(({ distinct_ids }) => distinct_ids),
  );
  const logged = ({ id, distinct_ids, value, until }: StoredPin): LoggedPin => ({
    id,
    person_id: distinct_ids.map((each) => people.get(each)?.uuid).find((uuid) => uuid !== undefined) ?? null,
    value,
    until,
  });
  const change = (before: LoggedPin | null, after: LoggedPin | null): ActivityChange => ({
    type: "FeatureFlag",
    action: after === null ? "deleted" : before === null ? "created" : "changed",
    field: PINS_FIELD,
    before,
    after,
  });
  const removed = gone.map(logged);
  const added = made.map(logged);
  const replacedBy = ({ person_id }: LoggedPin) =>
    person_id === null ? undefined : added.find((pin) => pin.person_id === person_id);
  const replacements = new Set(removed.map(replacedBy));
  return [
    ...removed.map((pin) => change(pin, replacedBy(pin) ?? null)),
    ...added.filter((pin) => !replacements.has(pin)).map((pin) => change(null, pin)),
  ];
}

/** Writes the pins of a locked flag; nothing else of it, nor its version, changes. */
async function write(tx: Db, by: Author, row: FlagRow, next: StoredPin[], trigger?: Trigger): Promise<void> {
  const entry = flagEntry(by, row, "updated");
  const changes = await changesOf(tx, row.project_id, row.pins, next);
  await updateFlagWhole(tx, row.id, {
    values: { pins: next },
    entry: { ...entry, detail: detailOf(entry.name, changes, trigger), created_at: by.now },
    topic: FLAGS_TOPIC,
    message: { project_id: row.project_id, ids: [row.id] },
  });
}

async function personIdOf(
  { db, project }: MemberContext,
  { person_id, distinct_id }: Of<"create_pin">["body"],
) {
  if ((person_id === undefined) === (distinct_id === undefined))
    throw invalid("Give either a person_id or a distinct_id.", "person_id");
  const [person, attr] =
    person_id === undefined
      ? ([await selectPersonByDistinctId(db, project.id, distinct_id ?? ""), "distinct_id"] as const)
      : ([await selectPerson(db, project.id, person_id), "person_id"] as const);
  if (!person) throw invalid("There is no such person.", attr, "does_not_exist");
  return person.id;
}

/** Results compare people whom chance has assigned to variants: nobody is pinned to one meanwhile. */
async function checkExperiments(tx: Db, context: MemberContext, flagId: number): Promise<void> {
  const users = await context.runtime.flagUsers({ ...context, db: tx }, [flagId]);
  const running = users.find(({ type }) => type === "experiment");
  if (running)
    throw invalid(
      `The experiment ${running.name} runs on this flag. A pinned value would bias its results: pin one once it has ended.`,
    );
}

export async function create_pin(context: MemberContext, { params, body }: Of<"create_pin">) {
  const { db, runtime, project, user, now, key } = context;
  await flagOf(context, params.id);
  requireScope(key, "person:read");
  const until = body.until === null ? null : storableMoment(body.until, "until");
  if (until && until <= now) throw invalid("until must be in the future.", "until");
  const personId = await personIdOf(context, body);
  const made = await inTransaction(db, async (tx) => {
    if (!(await holdPerson(tx, project.id, personId))) throw invalid("There is no such person.");
    const distinct_ids = await selectDistinctIds(tx, personId);
    if (distinct_ids.length > PIN_IDS_MAX)
      throw invalid(
        `This person has ${distinct_ids.length} distinct ids; a pin can cover at most ${PIN_IDS_MAX}.`,
      );
    if (!fitsPattern(distinct_ids))
      throw invalid("The distinct ids of this person are too long to be pinned.");
    const locked = await lockFlag(tx, project.id, params.id);
    if (!locked) throw notFound();
    if (locked.deleted) throw invalid("Deleted flags are not evaluated: restore the flag first.");
    const row = readFlag(locked, runtime.settings.encryption_key);
    const problem = findPinProblem(row.filters, body.value);
    if (problem) throw invalid(problem, "value");
    await checkExperiments(tx, context, row.id);
    const own = new Set(distinct_ids);
    // After a merge there can be several.
    const others = row.pins.filter((each) => !each.distinct_ids.some((id) => own.has(id)));
    if (others.length >= PINS_MAX)
      throw invalid(`A flag can have at most ${PINS_MAX} pins. Remove one first.`);
    const pin: StoredPin = {
      id: randomUUID(),
      distinct_ids,
      value: body.value,
      until: until && instant(until),
      reason: body.reason,
      created_by_id: user.id,
      created_at: instant(now),
    };
    await write(tx, authorOf(context), row, [...others, pin]);
    return { flag: row, pin };
  });
  runtime.flags.changed(project.id, [params.id]);
  const [record] = await recordsOf(context, made.flag, [made.pin]);
  if (!record) throw new Error("A pin was made and none is shown.");
  return record;
}

export async function destroy_pin(context: MemberContext, { params }: Of<"destroy_pin">) {
  const { db, runtime, project } = context;
  await inTransaction(db, async (tx) => {
    const row = await lockFlag(tx, project.id, params.id);
    const next = row?.pins.filter(({ id }) => id !== params.pin_id);
    if (!row || !next || next.length === row.pins.length) throw notFound();
    await write(tx, authorOf(context), row, next);
  });
  runtime.flags.changed(project.id, [params.id]);
  return undefined;
}

const MINUTE_MS = 60_000;

/**
 * Removes pins that have expired. Evaluation here leaves them out by itself; SDKs that evaluate flags themselves hear of
 * it by this.
 */
export const removeExpiredPins = defineJob({
  name: "feature_flags.remove_expired_pins",
  every: MINUTE_MS,
  run: async ({ db, now, runtime, each }: JobContext<unknown, Runtime>) =>
    each(
      await selectExpired(db, now),
      ({ id }) => String(id),
      async ({ id, project_id }) => {
        await inTransaction(db, async (tx) => {
          const row = await lockFlag(tx, project_id, id);
          const next = row?.pins.filter((pin) => !hasExpired(pin, now));
          if (!row || !next || next.length === row.pins.length) return;
          const trigger = { job_type: "pin_expiry", job_id: String(id), payload: {} };
          await write(tx, { project_id, user_id: null, now }, row, next, trigger);
        });
        runtime.flags.changed(project_id, [id]);
      },
    ),
});

/** Pins of somebody go with them. */
export const erasePins: EraseStep = {
  stored: async (db, { project_id, distinct_ids }) => ({
    feature_flag_pins: await selectPinsOf(db, project_id, distinct_ids),
  }),
  person: async (tx, { project_id, distinct_ids }) => {
    const flags = await deletePinsOf(tx, project_id, distinct_ids);
    if (flags.length > 0) await publish(tx, FLAGS_TOPIC, { project_id, ids: flags.map(({ id }) => id) });
    return { feature_flag_pins: flags.reduce((total, { removed }) => total + removed, 0) };
  },
};
