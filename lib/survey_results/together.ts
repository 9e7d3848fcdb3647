import { z } from "zod";
import { type Db, inTransaction } from "#lib/db/connect.ts";
import { defineJob } from "#lib/jobs/define.ts";
import { enqueue, jobState } from "#lib/jobs/queue.ts";
import { daysOf, Tally, tallyPerson } from "./chain.ts";
import {
  addCounts,
  countChangesOf,
  holdRebuilds,
  type PersonDay,
  type SurveyScope,
  selectPersonDays,
} from "./ingest_store.ts";
import {
  deleteMember,
  EVERYBODY,
  insertFresh,
  lockPeople,
  type Member,
  selectDaysTogether,
  selectLiveCounted,
  selectMembers,
  selectPersonsAfter,
  TOGETHER,
  upsertMember,
} from "./together_store.ts";

const scopeKey = ({ project_id, survey_id }: SurveyScope) => `${project_id}\u0000${survey_id}`;
const personKey = ({ project_id, person_id }: { project_id: number; person_id: number }) =>
  `${project_id}\u0000${person_id}`;

const isCounted = (member: Member | undefined, { person_id }: PersonDay) =>
  member !== undefined && (member.leaving ? person_id > member.upto : person_id <= member.upto);

/** Counts persons anew who did something else than before, by all that they did together. */
function tallyTogether(counts: Tally, before: readonly PersonDay[], after: readonly PersonDay[]): void {
  for (const [rows, by] of [
    [before, -1],
    [after, 1],
  ] as const)
    for (const days of Map.groupBy(rows, personKey).values()) {
      const [first] = days;
      if (first) tallyPerson(counts, [first.project_id, TOGETHER], daysOf(days), by);
    }
}

/**
 * Adds to counts what changes of people's days mean for all surveys together. The people of their projects must be
 * locked, and the changes not be written yet.
 */
export async function addTogether(tx: Db, counts: Tally, changes: readonly PersonDay[]): Promise<void> {
  if (changes.length === 0) return;
  const known = await selectMembers(tx, [...new Set(changes.map(({ project_id }) => project_id))]);
  const members = new Map(known.map((member) => [scopeKey(member), member]));
  const strangers = new Map(
    changes.flatMap(({ project_id, survey_id }) =>
      members.has(scopeKey({ project_id, survey_id }))
        ? []
        : [[scopeKey({ project_id, survey_id }), { project_id, survey_id }] as const],
    ),
  );
  for (const member of await insertFresh(tx, [...strangers.values()])) members.set(scopeKey(member), member);
  const counted = changes.filter((change) => isCounted(members.get(scopeKey(change)), change));
  const people = new Map(
    counted.map(({ project_id, person_id }) => [
      personKey({ project_id, person_id }),
      { project_id, person_id },
    ]),
  );
  const before = await selectDaysTogether(tx, [...people.values()]);
  tallyTogether(counts, before, [...before, ...counted]);
}

/** Persons that come in, or go, at a time. */
const PAGE = 1_000;

/** Takes a survey a few persons further in or out. @returns whether it is all in, or out */
async function moveOn(db: Db, member: Member): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    await holdRebuilds(tx);
    await lockPeople(tx, [member.project_id]);
    const { project_id, survey_id, leaving } = member;
    const now = (await selectMembers(tx, [project_id])).find((one) => one.survey_id === survey_id);
    if (!now || now.leaving !== leaving) return true;
    const persons = await selectPersonsAfter(tx, now, PAGE);
    const last = persons.at(-1);
    if (last === undefined) {
      await (leaving ? deleteMember(tx, now) : upsertMember(tx, { ...now, upto: EVERYBODY }));
      return true;
    }
    const people = persons.map((person_id) => ({ project_id, survey_id, person_id }));
    const before = await selectDaysTogether(tx, people);
    const after = leaving
      ? before.filter((row) => row.survey_id !== survey_id)
      : [...before, ...(await selectPersonDays(tx, people))];
    const counts = new Tally();
    tallyTogether(counts, before, after);
    await addCounts(tx, countChangesOf(counts));
    await upsertMember(tx, { ...now, upto: last });
    return false;
  });
}

/** Surveys that have to come in, to go on, or to go. */
async function unsettled(db: Db, projectId: number): Promise<Member[]> {
  const live = new Set(await selectLiveCounted(db, projectId));
  const members = await selectMembers(db, [projectId]);
  const moving = members.filter(({ upto, leaving }) => leaving || upto !== EVERYBODY);
  const going = members.filter(({ survey_id, upto, leaving }) =>
    leaving || upto !== EVERYBODY ? false : !live.has(survey_id),
  );
  const known = new Set(members.map(({ survey_id }) => survey_id));
  const coming = [...live].filter((id) => !known.has(id));
  return [
    ...moving,
    ...going.map((member) => ({ ...member, upto: 0, leaving: true })),
    ...coming.map((survey_id) => ({ project_id: projectId, survey_id, upto: 0, leaving: false })),
  ];
}

const NAME = "surveys.people";

/** Makes the people who are counted together those of the surveys that are there and not archived. */
export const settlePeople = defineJob({
  name: NAME,
  payload: z.object({ project_id: z.number() }),
  run: async ({ db, payload: { project_id }, signal }) => {
    for (let moving = await unsettled(db, project_id); moving.length > 0; ) {
      for (const member of moving) {
        await inTransaction(db, async (tx) => {
          await lockPeople(tx, [project_id]);
          await upsertMember(tx, member);
        });
        while (!(await moveOn(db, member))) signal.throwIfAborted();
      }
      moving = await unsettled(db, project_id);
    }
  },
});

/**
 * Whether exactly these surveys are counted together, but for those of which nothing is counted. Where not, that is
 * set right in the background.
 */
export async function isTogether(db: Db, projectId: number, ids: readonly string[]): Promise<boolean> {
  const [moving, members] = await Promise.all([unsettled(db, projectId), selectMembers(db, [projectId])]);
  if (moving.length > 0) {
    const job = await jobState(db, NAME, String(projectId));
    if (!job || job.state === "done" || job.state === "failed")
      await enqueue(db, settlePeople, String(projectId), { project_id: projectId });
    return false;
  }
  // All that are there and count for something are members: these are all, where none of them is left out.
  const asked = new Set(ids);
  return members.every(({ survey_id }) => asked.has(survey_id));
}
