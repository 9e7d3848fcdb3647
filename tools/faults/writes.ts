import { randomUUID } from "node:crypto";
import { existsSync, readdirSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { verifyAll } from "#lib/app/verification.ts";
import { keysOf } from "#lib/audit/keys.ts";
import { verifyAudit } from "#lib/audit/verify.ts";
import type { Database } from "#lib/platform/db/connect.ts";
import { eventually, PROJECT_TOKEN, type Process } from "#testing/processes.ts";

const API = "/api/projects/1";
const VARIANTS = [
  { key: "control", rollout_percentage: 50 },
  { key: "test", rollout_percentage: 50 },
];
const METRIC = {
  kind: "ExperimentMetric",
  metric_type: "mean",
  source: { kind: "EventsNode", event: "bought" },
};
const PROS = {
  groups: [
    {
      properties: [{ key: "plan", type: "person", operator: "exact", value: ["pro"] }],
      rollout_percentage: 100,
    },
  ],
};
const choiceQuestion = (choices: string[]) => ({ type: "single_choice", question: "Which?", choices });
const BEGUN = new Date(Date.now() - 3 * 86_400_000).toISOString();

/** So many answers are counted again by a job when a question changes, and not at once. */
const MANY_ANSWERS = 4_200;

/** What every round writes to: a running experiment and running surveys, one of them with many answers. */
export type Subjects = {
  experiment: { id: number; metric: { fingerprint: string } };
  surveys: [few: string, many: string];
};

/** Makes them. */
export async function createSubjects(process: Process): Promise<Subjects> {
  const make = async (path: string, body: unknown) => {
    const { status, text, json } = await process.call("POST", `${API}${path}`, body);
    if (status !== 201) throw new Error(`${path}: ${status} ${text}`);
    return json;
  };
  const experiment = await make("/experiments/", {
    name: "Checkout",
    feature_flag_key: "checkout",
    start_date: BEGUN,
    parameters: { feature_flag_variants: VARIANTS },
    metrics: [METRIC],
  });
  const survey = (name: string) =>
    make("/surveys/", { name, type: "api", start_date: BEGUN, questions: [choiceQuestion(["a", "b", "c"])] });
  const [few, many] = [await survey("Few answers"), await survey("Many answers")];
  for (let sent = 0; sent < MANY_ANSWERS; sent += 700) {
    const batch = Array.from({ length: 700 }, (_, i) =>
      answerTo(many.id, randomUUID(), `answerer-${sent + i}`, i % 2 ? "a" : "b"),
    );
    await process.call("POST", "/batch", { api_key: PROJECT_TOKEN, batch }, {});
  }
  return {
    experiment: { id: experiment.id, metric: experiment.metrics[0] },
    surveys: [few.id, many.id],
  };
}

const answerTo = (survey: string, uuid: string, distinct_id: string, choice: string) => ({
  uuid,
  distinct_id,
  event: "survey sent",
  properties: {
    $survey_id: survey,
    $survey_response: choice,
    $survey_submission_id: uuid,
    $survey_completed: true,
  },
});

const pickFrom = <T>(list: readonly T[], random: () => number): T | undefined =>
  list[Math.floor(random() * list.length)];

/** Events of every kind that something is counted of. */
export function eventsOf({ surveys }: Subjects, size: number, random: () => number) {
  return Array.from({ length: size }, () => {
    const uuid = randomUUID();
    const person = Math.floor(random() * 60);
    const distinct_id = `person-${person}`;
    const kind = random();
    if (kind < 0.3) {
      const properties = {
        $feature_flag: "checkout",
        $feature_flag_response: person % 2 ? "test" : "control",
      };
      return { uuid, distinct_id, event: "$feature_flag_called", properties };
    }
    if (kind < 0.5)
      return answerTo(
        pickFrom(surveys, random) ?? "",
        uuid,
        distinct_id,
        pickFrom(["a", "b", "c"], random) ?? "a",
      );
    const $set = { plan: pickFrom(["pro", "free"], random) };
    return { uuid, distinct_id, event: "bought", properties: { price: 3, $set } };
  });
}

type Scope = "FeatureFlag" | "Experiment" | "Survey" | "Cohort";

/** Something that was created, as far as its changes are known. */
type Item = {
  scope: Scope;
  id: string;
  acknowledged: number;
  /** Changes for which no answer came, or one that leaves it open. */
  unknown: number;
  /** The last name that was acknowledged, and those of later changes that may have been made. */
  names: string[];
};

const PATHS: Record<Scope, string> = {
  FeatureFlag: "/feature_flags/",
  Experiment: "/experiments/",
  Survey: "/surveys/",
  Cohort: "/cohorts/",
};

const bodyOf: Record<Scope, (name: string) => unknown> = {
  FeatureFlag: (name) => ({ key: `flag-${randomUUID()}`, name, filters: PROS }),
  Experiment: (name) => ({
    name,
    feature_flag_key: `experiment-${randomUUID()}`,
    parameters: { feature_flag_variants: VARIANTS },
    metrics: [METRIC],
  }),
  Survey: (name) => ({
    name,
    type: "popover",
    questions: [choiceQuestion(["x", "y"])],
    targeting_flag_filters: PROS,
  }),
  Cohort: (name) => ({ name, is_static: true, distinct_ids: ["person-1", "person-2", "person-3"] }),
};

/** What was written, and which of it was acknowledged. */
export type Ledger = ReturnType<typeof createLedger>;

function createLedger() {
  return {
    /** By uuid, whether the event was acknowledged. */
    events: new Map<string, boolean>(),
    answers: new Set<string>(),
    items: [] as Item[],
    acknowledged: 0,
    /** Of these, those that only the database can do. */
    changed: 0,
    /** Requests without an answer, or with one that asks to come again. */
    refused: 0,
    /** Answers that are neither a success nor a request to come again. */
    problems: [] as string[],
  };
}

/** What was written one after the other, to be compared with what is stored at once. */
export const joined = (ledgers: readonly Ledger[]): Ledger => ({
  events: new Map(ledgers.flatMap(({ events }) => [...events])),
  answers: new Set(ledgers.flatMap(({ answers }) => [...answers])),
  items: ledgers.flatMap(({ items }) => items),
  acknowledged: ledgers.reduce((sum, { acknowledged }) => sum + acknowledged, 0),
  changed: ledgers.reduce((sum, { changed }) => sum + changed, 0),
  refused: ledgers.reduce((sum, { refused }) => sum + refused, 0),
  problems: ledgers.flatMap(({ problems }) => problems),
});

/** So many answers are listed. */
const PROBLEMS_MAX = 20;

type Answer = Awaited<ReturnType<Process["call"]>>;

type Written = { subjects: Subjects; processes: readonly Process[]; over: AbortSignal };

/** Writes of every kind, one after another each, through any of the processes that are there. */
export function startWriting({ subjects, processes, over }: Written, random: () => number) {
  const { experiment, surveys } = subjects;
  const ledger = createLedger();
  const stopping = new AbortController();
  const stop = AbortSignal.any([stopping.signal, over]);
  const pick = <T>(list: readonly T[]) => pickFrom(list, random);
  let refusal = "";

  /** Null where nobody can say whether it was done. */
  async function send(
    method: string,
    path: string,
    body: unknown,
    headers?: Record<string, string>,
  ): Promise<Answer | null> {
    while (processes.length === 0 && !stop.aborted) await delay(5);
    const process = pick(processes);
    const answer = await process?.call(method, path, body, headers).catch(() => undefined);
    if (answer && answer.status < 300) {
      ledger.acknowledged += 1;
      if (headers === undefined) ledger.changed += 1;
      return answer;
    }
    if (answer && answer.status !== 503 && ledger.problems.length < PROBLEMS_MAX) {
      const said = answer.status === 500 ? `; the process says: ${process?.output().slice(-800)}` : "";
      ledger.problems.push(`${method} ${path}: ${answer.status} ${answer.text.slice(0, 300)}${said}`);
    }
    if (answer?.status === 503 && !answer.headers.has("retry-after"))
      ledger.problems.push(`${method} ${path}: 503 without Retry-After`);
    ledger.refused += 1;
    refusal = answer ? `${answer.status} ${answer.text.slice(0, 200)}` : "no answer";
    await delay(10 + random() * 30);
    return null;
  }

  /** Sends the same events again until they are acknowledged, as SDKs do. */
  async function sendEvents(size: number): Promise<void> {
    const batch = eventsOf(subjects, size, random);
    for (const { uuid, event } of batch) {
      ledger.events.set(uuid, false);
      if (event === "survey sent") ledger.answers.add(uuid);
    }
    for (let attempt = 0; attempt < 3; attempt++) {
      const [only] = batch;
      const answer =
        batch.length === 1
          ? await send("POST", "/capture", { api_key: PROJECT_TOKEN, ...only }, {})
          : await send("POST", "/batch", { api_key: PROJECT_TOKEN, batch }, {});
      if (answer?.json.rejected) ledger.problems.push(`events were rejected: ${answer.text.slice(0, 300)}`);
      if (answer) for (const { uuid } of batch) ledger.events.set(uuid, true);
      if (answer || stop.aborted) return;
    }
  }

  async function change(scope: Scope, mine: Item[]): Promise<void> {
    const name = `${scope} ${randomUUID()}`;
    const item = mine.length > 3 || random() < 0.5 ? pick(mine) : undefined;
    if (!item) {
      const made = await send("POST", `${API}${PATHS[scope]}`, bodyOf[scope](name));
      if (!made) return;
      const created = { scope, id: String(made.json.id), acknowledged: 0, unknown: 0, names: [name] };
      mine.push(created);
      ledger.items.push(created);
      return;
    }
    item.names.push(name);
    if (await send("PATCH", `${API}${PATHS[scope]}${item.id}/`, { name })) {
      item.acknowledged += 1;
      item.names = [name];
    } else item.unknown += 1;
  }

  /** What makes figures move: results, days computed again, answers counted again. */
  async function compute(): Promise<void> {
    const kind = random();
    if (kind < 0.4) await send("GET", `${API}/experiments/${experiment.id}/results/`, undefined);
    else if (kind < 0.7)
      await send("POST", `${API}/experiments/${experiment.id}/recalculate_timeseries/`, {
        metric: experiment.metric,
        fingerprint: experiment.metric.fingerprint,
      });
    else {
      const choices = ["a", "b", "c", ...(random() < 0.5 ? ["d"] : [])];
      await send("PATCH", `${API}/surveys/${pick(surveys)}/`, { questions: [choiceQuestion(choices)] });
    }
  }

  const keep = async (write: () => Promise<void>) => {
    while (!stop.aborted) await write();
  };
  const changing = (scope: Scope) => {
    const mine: Item[] = [];
    return () => change(scope, mine);
  };
  const stopped = Promise.all([
    ...[10, 25, 1].map((size) => keep(() => sendEvents(size))),
    ...(Object.keys(PATHS) as Scope[]).map((scope) => keep(changing(scope))),
    keep(async () => {
      await compute();
      await delay(30);
    }),
  ]);
  return {
    ledger,
    /** Waits until so many more writes were acknowledged, or such as only the database can do. */
    more: (writes: number, of: "acknowledged" | "changed" = "acknowledged") => {
      const goal = ledger[of] + writes;
      return eventually(
        () => ledger[of] >= goal || undefined,
        () =>
          [
            ...ledger.problems,
            `${ledger.refused} refused or not answered, the last with ${refusal}`,
            ...processes.map((each) => each.output().slice(-1_500)),
          ].join("; "),
      );
    },
    stop: async () => {
      stopping.abort();
      await stopped;
    },
  };
}

/** Events that wait in the spool of a process. */
const isSpoolEmpty = (folder: string): boolean =>
  !existsSync(`${folder}/spool`) || readdirSync(`${folder}/spool`).every((name) => !name.endsWith(".events"));

const TABLES: Record<Scope, string> = {
  FeatureFlag: "feature_flags",
  Experiment: "experiments",
  Survey: "surveys",
  Cohort: "cohorts",
};

async function lostEvents({ pool }: Database, ledger: Ledger): Promise<string[]> {
  const acknowledged = [...ledger.events].filter(([, isKnown]) => isKnown).map(([uuid]) => uuid);
  const { rows } = await pool.query<{ uuid: string; stored: number; sent: boolean; answers: number }>(
    `select sent.uuid::text, sent.uuid = any($2::uuid[]) as sent,
       (select count(*)::int from events e where e.project_id = 1 and e.uuid = sent.uuid) as stored,
       (select count(*)::int from survey_responses r where r.project_id = 1 and r.uuid = sent.uuid) as answers
     from unnest($1::uuid[]) as sent(uuid)`,
    [[...ledger.events.keys()], acknowledged],
  );
  return rows.flatMap(({ uuid, sent, stored, answers }) => [
    ...(sent && stored === 0 ? [`event ${uuid} was acknowledged and is not stored`] : []),
    ...(stored > 1 ? [`event ${uuid} is stored ${stored} times`] : []),
    ...(ledger.answers.has(uuid) && answers !== stored
      ? [`answer ${uuid} is stored ${stored} times as an event and ${answers} times as a response`]
      : []),
  ]);
}

async function lostChanges({ pool }: Database, ledger: Ledger): Promise<string[]> {
  const problems: string[] = [];
  for (const [scope, table] of Object.entries(TABLES)) {
    const version = scope === "Cohort" ? "null::int" : "t.version";
    const { rows } = await pool.query<{ id: string; name: string; version: number | null; entries: number }>(
      `select t.id::text, t.name, ${version} as version, (select count(*)::int from activity_log a
         where a.scope = $1 and a.item_id = t.id::text and a.activity in ('created', 'updated')) as entries from ${table} t`,
      [scope],
    );
    const byId = new Map(rows.map((row) => [row.id, row]));
    for (const item of ledger.items.filter((each) => each.scope === scope)) {
      const row = byId.get(item.id);
      const [least, most] = [1 + item.acknowledged, 1 + item.acknowledged + item.unknown];
      const what = `${scope} ${item.id}`;
      if (!row) problems.push(`${what} was created and is not stored`);
      else if (!item.names.includes(row.name)) problems.push(`${what} lost its last change`);
      else if (row.entries < least || row.entries > most)
        problems.push(`${what} has ${row.entries} entries in its history instead of ${least} to ${most}`);
    }
    for (const { id, version: reached, entries } of rows)
      if (reached !== null && reached !== entries)
        problems.push(`${scope} ${id} has version ${reached} and ${entries} entries in its history`);
  }
  return problems;
}

/** Flags that were made for something else, without it, and the other way round. */
async function halves({ pool }: Database): Promise<string[]> {
  const { rows } = await pool.query<{ what: string }>(`
    select 'flag ' || f.key || ' has no experiment' as what from feature_flags f
      where f.key like 'experiment-%' and not exists (select from experiments e where e.feature_flag_id = f.id)
    union all select 'flag ' || f.key || ' has no survey' from feature_flags f
      where f.key like 'survey-%' and not exists (select from surveys s
        where f.id in (s.targeting_flag_id, s.internal_targeting_flag_id, s.internal_response_sampling_flag_id))
    union all select 'survey ' || s.id || ' has no targeting flag' from surveys s
      where s.name like 'Survey %' and not exists (select from feature_flags f where f.id = s.targeting_flag_id)
    union all select 'cohort ' || c.id || ' counts ' || c.count || ' members' from cohorts c
      where c.is_static and c.count <> (select count(*) from cohort_people p where p.cohort_id = c.id)`);
  return rows.map(({ what }) => what);
}

/** Compares what is stored with what was written, once all that was accepted is stored. @returns what is wrong, in words */
export async function checkWrites(
  database: Database,
  ledger: Ledger,
  { encryptionKey, dataDirs }: { encryptionKey: Uint8Array; dataDirs: readonly string[] },
): Promise<string[]> {
  await eventually(
    () => dataDirs.every(isSpoolEmpty) || undefined,
    () => "Events stay in the spool.",
  );
  const findings = await verifyAll(database.db, encryptionKey);
  const log = await verifyAudit(database.db, keysOf({ encryption_key: Buffer.from(encryptionKey) }));
  return [
    ...ledger.problems,
    ...(await lostEvents(database, ledger)),
    ...(await lostChanges(database, ledger)),
    ...(await halves(database)),
    ...log.problems.map(({ message }) => `npm run verify -- --audit: ${message}`),
    ...findings
      .filter(({ differences }) => differences !== 0)
      .map(({ rollup, differences }) => `npm run verify: ${rollup} differs in ${differences} rows`),
  ];
}

/** What a process must not say: errors that nobody handled. */
export const wordsOfTrouble = (output: string): string[] =>
  output
    .split("\n")
    .filter((line) => /unhandled|uncaught|TypeError|ReferenceError|RangeError|AssertionError/i.test(line))
    .map((line) => `a process says: ${line.slice(0, 300)}`);
