import { openDatabase } from "#lib/platform/db/connect.ts";
import type { BenchService } from "./service.ts";
import { startService } from "./service.ts";
import { type Size, seedSurvey, sizeOf } from "./survey-seed.ts";

const { SURVEY_EVENTS = "1000000", SURVEY_PORT = "4191", SURVEY_REPEATS = "25" } = process.env;

const FILTERS = {
  "answer: promoters": { answers: [{ question_id: "nps", operator: "bucket", value: "promoters" }] },
  "answer: a text": { answers: [{ question_id: "why", operator: "icontains", value: "price" }] },
  "property: plan": { properties: [{ key: "plan", operator: "exact", value: ["pro"] }] },
  "all three": {
    properties: [{ key: "plan", operator: "exact", value: ["pro"] }],
    answers: [
      { question_id: "nps", operator: "bucket", value: "promoters" },
      { question_id: "why", operator: "icontains", value: "slow" },
    ],
  },
} satisfies Record<string, Record<string, object>>;

type Read = { name: string; path: string; limit_ms: number; grows: boolean };

const query = (filter: Record<string, object>) =>
  new URLSearchParams(
    Object.entries(filter).map(([name, value]) => [name, JSON.stringify(value)]),
  ).toString();

/** What is read, with the milliseconds that half of the reads may take at the full size. */
function readsOf(surveyId: string): Read[] {
  const survey = `/api/projects/1/surveys/${surveyId}/`;
  const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
  const kept = (name: string, path: string) => ({ name, path, limit_ms: 100, grows: false });
  return [
    kept("statistics of a survey", `${survey}stats/`),
    kept("statistics of all surveys", "/api/projects/1/surveys/stats/"),
    kept("responses of all surveys", "/api/projects/1/surveys/responses_count/"),
    kept("page of results", `${survey}results/`),
    kept("page of results, 30 days", `${survey}results/?date_from=${day(40)}&date_to=${day(11)}`),
    {
      // Counts the responses of the window beside the rows that it lists.
      name: "newest responses of two days",
      path: `${survey}responses/?limit=50&date_from=${day(2)}`,
      limit_ms: 1_000,
      grows: true,
    },
    ...Object.entries(FILTERS).map(([name, filter]) => ({
      name: `page of results, ${name}`,
      path: `${survey}results/?${query(filter)}`,
      limit_ms: 1_500,
      grows: true,
    })),
    {
      name: "cross-tabulation",
      path: `${survey}crosstab/?question_a=nps&question_b=how`,
      limit_ms: 1_000,
      grows: true,
    },
  ];
}

/** @returns milliseconds until the answer to one read was there */
async function timeOf(service: BenchService, path: string): Promise<number> {
  const began = performance.now();
  const response = await fetch(service.base + path, {
    headers: { authorization: `Bearer ${service.key}` },
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
  return performance.now() - began;
}

/** The first read, for which the process and the database are cold, apart from the others. */
async function timesOf(service: BenchService, path: string, repeats: number) {
  const first = await timeOf(service, path);
  await timeOf(service, path);
  const times: number[] = [];
  for (let i = 0; i < repeats; i++) times.push(await timeOf(service, path));
  return { first, times: times.sort((a, b) => a - b) };
}

const at = (sorted: readonly number[], part: number) =>
  sorted[Math.floor(sorted.length * part)] ?? Number.NaN;

type Measured = Map<string, { first: number; p50: number; p95: number; read: Read }>;

async function measureSize(size: Size): Promise<Measured> {
  const service = await startService(Number(SURVEY_PORT));
  try {
    const database = await openDatabase({ dataDir: service.folder });
    try {
      const surveyId = await seedSurvey(service, database.db, size);
      const measured: Measured = new Map();
      for (const read of readsOf(surveyId)) {
        const { first, times } = await timesOf(service, read.path, read.grows ? 9 : Number(SURVEY_REPEATS));
        measured.set(read.name, { first, p50: at(times, 0.5), p95: at(times, 0.95), read });
      }
      return measured;
    } finally {
      await database.close();
    }
  } finally {
    await service.stop();
  }
}

const cell = (value: number) => value.toFixed(1).padStart(10);

/** Ten times the events may cost so much more to read, where reading does not grow with them. */
const GROWTH_MAX = 1.3;
/** Below this nobody can tell growth from noise. */
const NOISE_MS = 2;

function verdictOf({ limit_ms, grows }: Read, p50: number, tenth: number): string {
  const fast = p50 <= limit_ms;
  const steady = grows || p50 <= tenth * GROWTH_MAX || p50 - tenth < NOISE_MS;
  const floors = `${limit_ms} ms${grows ? "" : `, ${GROWTH_MAX}x`}`;
  return `${fast && steady ? "pass" : "FAIL"}  (${floors})`;
}

/** Measures what is read of surveys' results at a tenth of the size and at the size, one reader. */
export async function benchSurveys(): Promise<void> {
  const size = sizeOf(Number(SURVEY_EVENTS));
  const [small, full] = [await measureSize(sizeOf(size.events / 10)), await measureSize(size)];
  console.info(
    `\nResults of a survey with ${size.responses.toLocaleString("en")} responses among ${size.events.toLocaleString("en")} events of ${size.persons.toLocaleString("en")} people; ms, one reader. SURVEY_EVENTS=10000000 is the full size. "First" is the first such read of a process.`,
  );
  console.info(`${"".padEnd(44)}  a tenth      p50       p95     first     growth  floor`);
  for (const [name, { first, p50, p95, read }] of full) {
    const tenth = small.get(name)?.p50 ?? Number.NaN;
    const growth = `${(p50 / tenth).toFixed(2).padStart(9)}x`;
    console.info(
      `${name.padEnd(44)}${[tenth, p50, p95, first].map(cell).join("")}${growth}  ${verdictOf(read, p50, tenth)}`,
    );
  }
}

if (import.meta.main) await benchSurveys();
