import { questionsForSdks } from "#lib/engines/branching/sdk-questions.ts";
import { cors } from "#lib/platform/http/cors.ts";
import { ApiError, methodNotAllowed } from "#lib/platform/http/errors.ts";
import type { FeedMounting, FeedRuntime, FeedSurvey } from "#lib/surveys/context.ts";

import { momentTextOrNull } from "./dates.ts";
import { flagKeysOf } from "./record.ts";
import { feedDates, feedFlagKeys, nextBoundary } from "./state.ts";

const PATH = "/api/surveys";

type Questions = NonNullable<FeedSurvey["questions"]>;

/** Omits null members, for SDKs that treat null as a value. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([, inner]) => inner !== null);
  return Object.fromEntries(entries.map(([name, inner]) => [name, withoutNulls(inner)]));
}

const settled = new WeakMap<Questions, object[]>();

const withoutChoiceIds = (question: object) =>
  Object.fromEntries(Object.entries(question).filter(([name]) => name !== "choice_ids"));

/** Computed once per cached survey. */
function questionsOf({ questions }: FeedSurvey): object[] | null {
  if (!questions) return null;
  // Ids of choices are for editors only.
  const known = settled.get(questions) ?? questionsForSdks(questions).map(withoutChoiceIds);
  settled.set(questions, known);
  return known;
}

/** A survey as SDKs get it, without fields for the team. */
function feedRecord(row: FeedSurvey, flags: Parameters<typeof flagKeysOf>[1], now: Date) {
  const keys = feedFlagKeys(flagKeysOf(row, flags));
  const dates = feedDates(row, now);
  return {
    id: row.id,
    name: row.name,
    type: row.type,
    ...Object.fromEntries(Object.entries(keys).filter(([, key]) => key !== null)),
    questions: questionsOf(row),
    conditions: withoutNulls(row.conditions),
    appearance: withoutNulls(row.appearance),
    start_date: momentTextOrNull(dates.start_date),
    end_date: momentTextOrNull(dates.end_date),
    current_iteration: row.current_iteration,
    current_iteration_start_date: momentTextOrNull(row.current_iteration_start_date),
    schedule: row.schedule,
    enable_partial_responses: row.enable_partial_responses,
  };
}

type Feed = ReturnType<typeof feedRecord>[];
type Flags = Parameters<typeof flagKeysOf>[1];

/** The cached feed for cached surveys and flags, valid until a survey starts or ends. */
const fed = new WeakMap<object, { flags: Flags; from: Date; until: Date | null; feed: Feed }>();

function feedOf(rows: readonly FeedSurvey[], flags: Flags, now: Date): Feed {
  const known = fed.get(rows);
  if (known?.flags === flags && known.from <= now && (!known.until || now < known.until)) return known.feed;
  const boundaries = rows.map((row) => nextBoundary(row, now)).filter((date) => date !== null);
  const until = boundaries.reduce<Date | null>((first, date) => (first && first < date ? first : date), null);
  const feed = rows.map((row) => feedRecord(row, flags, now));
  fed.set(rows, { flags, from: now, until, feed });
  return feed;
}

/**
 * Every survey of a project that is not archived, drafts and stopped ones too: the SDK decides what to show.
 */
async function surveyFeed(runtime: FeedRuntime, projectId: number): Promise<Feed> {
  const [rows, { byId }] = await Promise.all([
    runtime.surveys.latest(projectId),
    runtime.flags.latest(projectId),
  ]);
  return feedOf(rows, byId, new Date());
}

/** Whether a project has surveys that browsers should ask for. */
export const hasSurveys = async (runtime: FeedRuntime, projectId: number) =>
  (await runtime.surveys.latest(projectId)).length > 0;

/** The surveys for the remote configuration, where SDKs of apps look for them; false if there are none. */
export async function configuredSurveys(runtime: FeedRuntime, projectId: number) {
  const surveys = await surveyFeed(runtime, projectId);
  return surveys.length > 0 && surveys;
}

const refused = (code: string, detail: string) => new ApiError(401, "authentication_error", code, detail);

/** Serves the surveys of the project whose public token is in the query, to pages of any origin. */
export function mountSurveyFeed({ app, runtime, admission }: FeedMounting): void {
  app.options(PATH, async (c, next) => {
    await next();
    // Some proxies treat a preflight response other than 200 as a rejection.
    c.res = new Response(null, { status: 200, headers: c.res.headers });
  });
  app.use(PATH, cors());
  app.get(PATH, async (c) => {
    const token = c.req.query("token")?.trim();
    if (!token) throw refused("missing_api_key", "Send the project token as ?token=.");
    const project = (await runtime.directory.current()).byToken.get(token);
    if (!project) throw refused("invalid_api_key", "No project has this token.");
    await admission.toBegin("evaluation", project.id);
    const surveys = await surveyFeed(runtime, project.id);
    const staleSince = runtime.availability.away_since?.toISOString();
    return c.json({
      surveys,
      survey_config: null,
      ...(staleSince !== undefined && { stale_since: staleSince }),
    });
  });
  app.all(PATH, (c) => {
    throw methodNotAllowed(c.req.method);
  });
}
