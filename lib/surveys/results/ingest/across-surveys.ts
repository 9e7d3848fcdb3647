import { z } from "zod";
import { type Db, inTransaction } from "#lib/platform/db/connect.ts";
import { defineJob } from "#lib/platform/jobs/define.ts";
import { enqueue, readJobState } from "#lib/platform/jobs/queue.ts";
import {
  ACROSS_SURVEYS,
  deleteMember,
  EVERYBODY,
  insertNewMembers,
  lockPeople,
  type Member,
  selectDaysAcrossSurveys,
  selectLiveCounted,
  selectMembers,
  selectPersonsAfter,
  upsertMember,
} from "./across-surveys-store.ts";
import {
  addCounts,
  countChangesOf,
  holdRebuilds,
  type PersonDay,
  type SurveyScope,
  selectPersonDays,
} from "./ingest-store.ts";
import { sumDays, Tally, tallyPerson } from "./response-history.ts";

const scopeKey = ({ project_id, survey_id }: SurveyScope) => `${project_id}\u0000${survey_id}`;
const personKey = ({ project_id, person_id }: { project_id: number; person_id: number }) =>
  `${project_id}\u0000${person_id}`;

const isCounted = (member: Member | undefined, { person_id }: PersonDay) =>
  member !== undefined && (member.leaving ? person_id > member.upto : person_id <= member.upto);

/** Recounts persons by their events across surveys. */
function tallyAcrossSurveys(counts: Tally, before: readonly PersonDay[], after: readonly PersonDay[]): void {
  for (const [rows, by] of [
    [before, -1],
    [after, 1],
  ] as const)
    for (const days of Map.groupBy(rows, personKey).values()) {
      const [first] = days;
      if (first) tallyPerson(counts, [first.project_id, ACROSS_SURVEYS], sumDays(days), by);
    }
}

/**
 * Adds changes of person days to the counts across surveys. The people of their projects must be locked, and
 * the changes not yet written.
 */
export async function addAcrossSurveys(tx: Db, counts: Tally, changes: readonly PersonDay[]): Promise<void> {
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
  for (const member of await insertNewMembers(tx, [...strangers.values()]))
    members.set(scopeKey(member), member);
  const counted = changes.filter((change) => isCounted(members.get(scopeKey(change)), change));
  const people = new Map(
    counted.map(({ project_id, person_id }) => [
      personKey({ project_id, person_id }),
      { project_id, person_id },
    ]),
  );
  const before = await selectDaysAcrossSurveys(tx, [...people.values()]);
  tallyAcrossSurveys(counts, before, [...before, ...counted]);
}

/** Persons added or removed per step. */
const PAGE = 1_000;

/** Adds or removes the next persons of a survey. @returns whether it is done */
async function advanceMember(db: Db, member: Member): Promise<boolean> {
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
    const before = await selectDaysAcrossSurveys(tx, people);
    const after = leaving
      ? before.filter((row) => row.survey_id !== survey_id)
      : [...before, ...(await selectPersonDays(tx, people))];
    const counts = new Tally();
    tallyAcrossSurveys(counts, before, after);
    await addCounts(tx, countChangesOf(counts));
    await upsertMember(tx, { ...now, upto: last });
    return false;
  });
}

/** Members to add, to continue, or to remove. */
async function selectPending(db: Db, projectId: number): Promise<Member[]> {
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

/** Makes the surveys counted together those that exist and are not archived. */
export const settleMembers = defineJob({
  name: NAME,
  payload: z.object({ project_id: z.number() }),
  run: async ({ db, payload: { project_id }, signal }) => {
    for (let moving = await selectPending(db, project_id); moving.length > 0; ) {
      for (const member of moving) {
        await inTransaction(db, async (tx) => {
          await lockPeople(tx, [project_id]);
          await upsertMember(tx, member);
        });
        while (!(await advanceMember(db, member))) signal.throwIfAborted();
      }
      moving = await selectPending(db, project_id);
    }
  },
});

/**
 * Whether exactly these surveys are counted together, apart from those without counts. If not, a job corrects
 * it.
 */
export async function areMembers(db: Db, projectId: number, ids: readonly string[]): Promise<boolean> {
  const [moving, members] = await Promise.all([selectPending(db, projectId), selectMembers(db, [projectId])]);
  if (moving.length > 0) {
    const job = await readJobState(db, NAME, String(projectId));
    if (!job || job.state === "done" || job.state === "failed")
      await enqueue(db, settleMembers, String(projectId), { project_id: projectId });
    return false;
  }
  // All existing surveys with counts are members; so these are all if none is missing.
  const asked = new Set(ids);
  return members.every(({ survey_id }) => asked.has(survey_id));
}
