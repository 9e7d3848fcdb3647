import { sql } from "drizzle-orm";
import type { Db } from "#lib/platform/db/connect.ts";
import { EVERYBODY, upsertMember } from "#lib/surveys/results/ingest/across-surveys-store.ts";
import { fillSummaries } from "#lib/surveys/results/rebuild-store.ts";
import type { BenchService } from "./service.ts";

const QUESTIONS = [
  { id: "nps", type: "rating", question: "How likely?", display: "number", scale: 10 },
  {
    id: "how",
    type: "single_choice",
    question: "How?",
    choices: ["Web", "App", "Post", "Other"],
    hasOpenChoice: true,
  },
  { id: "what", type: "multiple_choice", question: "What?", choices: ["Flags", "Surveys", "Experiments"] },
  { id: "why", type: "open", question: "Why?" },
];

const BENCH_DAYS = 90;

/** How much is stored: events in all; a tenth of them are responses to one survey, three tenths show it. */
export type Size = { events: number; responses: number; persons: number };

export const sizeOf = (events: number): Size => ({
  events,
  responses: events / 10,
  persons: Math.max(1_000, Math.round(events / 30)),
});

const project = sql`1`;
const moment = (n: number) =>
  sql`(date_trunc('day', now()) - interval '${sql.raw(String(BENCH_DAYS))} days' + i * (interval '${sql.raw(String(BENCH_DAYS))} days' / ${sql.raw(String(n))}))`;
/** Different kinds of events do different people in different orders. */
const person = (size: Size, step: number) =>
  sql`('person-' || (1 + (i * ${sql.raw(String(step))}::bigint)% ${sql.raw(String(size.persons))}))`;
const uuid = (kind: number) =>
  sql.raw(`('${kind}0000000-0000-4000-8000-' || lpad(to_hex(i), 12, '0'))::uuid`);

async function seedPersons(db: Db, { persons }: Size): Promise<void> {
  await db.execute(sql`
    with made as (
      insert into persons (project_id, properties, is_identified)
      select ${project}, jsonb_build_object('n', i, 'plan', (array['free', 'pro', 'team'])[1 + i % 3],
        'country', (array['US', 'DE', 'FR', 'BR', 'IN'])[1 + i % 5]), true
      from generate_series(1, ${sql.raw(String(persons))}) i returning id, properties
    )
    insert into person_distinct_ids (project_id, distinct_id, person_id)
    select ${project}, 'person-' || (properties ->> 'n'), id from made`);
}

const answers = sql`jsonb_build_object('nps', (i * 7) % 11, 'how', (array['Web', 'App', 'Post', 'By pigeon'])[1 + (i / 3) % 4],
  'what', (array['["Flags"]', '["Surveys"]', '["Flags", "Experiments"]'])[1 + (i / 5) % 3]::jsonb,
  'why', (array['the price is too high', 'support was quick', 'slow reports', 'love the editor'])[1 + (i / 7) % 4] || ' ' || i)`;

const codes = sql`array[((i * 7) % 11)::text, (array['0', '1', '2', 'o'])[1 + (i / 3) % 4],
  (array['0', '1', '0,2'])[1 + (i / 5) % 3], '1']`;

async function seedResponses(db: Db, size: Size, surveyId: string): Promise<void> {
  const n = sql.raw(String(size.responses));
  await db.execute(sql`
    insert into events (project_id, uuid, event, distinct_id, timestamp, properties)
    select ${project}, ${uuid(1)}, 'survey sent', ${person(size, 7919)}, ${moment(size.responses)},
      jsonb_build_object('$survey_id', ${surveyId}::text, '$survey_submission_id', 's' || i, '$survey_completed', true)
        || (select jsonb_object_agg('$survey_response_' || key, value) from jsonb_each(${answers}))
    from generate_series(1, ${n}) i`);
  await db.execute(sql`
    insert into survey_responses (project_id, survey_id, key, uuid, latest, timestamp, next_at, started_at, person_id,
      distinct_id, iteration, completed, archived, codes, path, answers)
    select ${project}, ${surveyId}, md5('submission s' || i)::uuid, ${uuid(1)}, true, ${moment(size.responses)}, null,
      ${moment(size.responses)}, d.person_id, d.distinct_id, 0, true, false, ${codes}, array[0, 1, 2, 3]::smallint[], ${answers}
    from generate_series(1, ${n}) i
    join person_distinct_ids d on d.project_id = ${project} and d.distinct_id = ${person(size, 7919)}`);
}

async function seedOthers(db: Db, size: Size, surveyId: string): Promise<void> {
  const shown = size.responses * 3;
  const dismissed = size.responses / 2;
  const rest = size.events - shown - dismissed - size.responses;
  for (const [kind, name, count, step] of [
    [2, "survey shown", shown, 104_729],
    [3, "survey dismissed", dismissed, 15_485_863],
    [4, "page viewed", rest, 32_452_843],
  ] as const)
    await db.execute(sql`
      insert into events (project_id, uuid, event, distinct_id, timestamp, properties)
      select ${project}, ${uuid(kind)}, ${name}::text, ${person(size, step)}, ${moment(count)},
        ${kind === 4 ? sql`'{"path": "/"}'::jsonb` : sql`jsonb_build_object('$survey_id', ${surveyId}::text)`}
      from generate_series(1, ${sql.raw(String(count))}) i`);
}

/** Another survey, that a tenth as many people see, so that statistics of several have people in common. */
async function seedNeighbour(service: BenchService, db: Db, size: Size): Promise<string> {
  const made = await service.api("POST", "/api/projects/1/surveys/", {
    name: `Neighbour ${size.events}`,
    type: "popover",
    questions: QUESTIONS,
    start_date: new Date(Date.now() - (BENCH_DAYS + 1) * 86_400_000).toISOString(),
  });
  const id = String(made.id);
  const count = size.responses / 10;
  await db.execute(sql`
    insert into events (project_id, uuid, event, distinct_id, timestamp, properties)
    select ${project}, ${uuid(5)}, 'survey shown', ${person(size, 7_919)}, ${moment(count)},
      jsonb_build_object('$survey_id', ${id}::text)
    from generate_series(1, ${sql.raw(String(count))}) i`);
  return id;
}

/** Fills the service's database with a survey and its events; what is kept of them is counted by `npm run verify`'s SQL. */
export async function seedSurvey(service: BenchService, db: Db, size: Size): Promise<string> {
  const made = await service.api("POST", "/api/projects/1/surveys/", {
    name: `Bench ${size.events}`,
    type: "popover",
    questions: QUESTIONS,
    start_date: new Date(Date.now() - (BENCH_DAYS + 1) * 86_400_000).toISOString(),
  });
  const surveyId = String(made.id);
  await seedPersons(db, size);
  await seedResponses(db, size, surveyId);
  await seedOthers(db, size, surveyId);
  const neighbour = await seedNeighbour(service, db, size);
  await db.execute(sql`analyze`);
  await db.transaction(async (tx) => {
    await tx.execute(sql`set local work_mem = '768MB'`);
    for (const survey_id of [surveyId, neighbour])
      await upsertMember(tx, { project_id: 1, survey_id, upto: EVERYBODY, leaving: false });
    await fillSummaries(tx);
  });
  // What a server that has been up for a while has behind it: nothing to clean up, nothing to write out.
  await db.execute(sql`vacuum analyze`);
  await db.execute(sql`checkpoint`);
  return surveyId;
}
