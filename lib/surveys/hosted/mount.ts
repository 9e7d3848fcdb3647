import type { Context } from "hono";
import { v4 as uuidv4, v7 as uuidv7 } from "uuid";
import { parseEvent } from "#lib/people/events/event.ts";
import { readBytes } from "#lib/platform/http/body/body.ts";
import { ApiError, invalid, methodNotAllowed, throttled } from "#lib/platform/http/errors.ts";
import type { Mounting, Runtime } from "#lib/surveys/context.ts";

import { responseKey } from "#lib/surveys/results/ingest/facts.ts";
import { isFull } from "#lib/surveys/surveys/schedule/limits.ts";
import { selectSurveyAnywhere } from "#lib/surveys/surveys/store.ts";
import { parseVisit, type Visit } from "./address.ts";
import { hasResponse } from "./answers-store.ts";
import { checkAvailability, hasAnswered, isInvited } from "./availability.ts";
import { languageFor } from "./card/question-view.ts";
import { problemText } from "./card/texts.ts";
import { answeredCookie, type Place, shownCookie, shownHereTo } from "./cookies.ts";
import { type RawEvent, sentEvent, shownEvent } from "./events.ts";
import { runExclusively } from "./exclusive.ts";
import { type FormState, formKey, open } from "./form-state.ts";
import { isPreviewOf } from "./preview.ts";
import { answer, Closing, readable } from "./replies.ts";
import { find, nextOf, placeOf } from "./respondent-path.ts";
import { frameOf, pageAtEnd, pageOf, questionsFor, type Session, sessionOf, viewAt } from "./session.ts";

const PATH = "/external_surveys/:id";
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
/** A sealed state with every answer in it, and the next answer. */
const FORM_MAX = 1024 * 1024;

/** Link previews see no survey. */
const ROBOT = /bot\b|crawl|spider|slurp|preview|facebookexternalhit|whatsapp|embedly|monitor/i;

function isLooking(request: Request): boolean {
  const purpose = request.headers.get("sec-purpose") ?? request.headers.get("purpose") ?? "";
  return (
    request.method === "GET" &&
    !/prefetch|preview/.test(purpose) &&
    !ROBOT.test(request.headers.get("user-agent") ?? "")
  );
}

/**
 * The survey at a URL, and whether it accepts answers.
 *
 * @param isPreview whether it is opened to try it out: then its state does not matter
 */
async function sessionFor(
  { runtime, limits, admission }: Mounting,
  id: string,
  url: URL,
  now: Date,
  isPreview: (key: Buffer) => boolean,
) {
  if (!UUID.test(id)) throw new Closing(400, "missing");
  const row = await selectSurveyAnywhere(runtime.db, id);
  const key = formKey(runtime.settings.encryption_key);
  const preview = row?.type === "external_survey" && isPreview(key);
  const standing = await checkAvailability(runtime, row, now);
  if (!row || (standing === "missing" && !preview)) throw new Closing(404, "missing");
  const project = (await runtime.directory.current()).projects.get(row.project_id);
  const wait = project ? limits.definitions(project.api_token, now.getTime()) : 0;
  if (wait > 0) throw throttled(wait);
  await admission.toBegin("evaluation", row.project_id);
  const hasQuestions = (row.questions ?? []).length > 0;
  return {
    session: sessionOf(row, key, url),
    isOpen: standing === "open" || (preview && hasQuestions),
    preview,
  };
}

async function store(runtime: Runtime, session: Session, event: RawEvent, now: Date): Promise<void> {
  const envelope = { now: now.getTime(), sentAt: null, historical: false, unnamed: null };
  const parsed = parseEvent({ ...event, timestamp: now.toISOString() }, envelope);
  if (typeof parsed === "string") throw invalid(parsed);
  await runtime.events.write(session.row.project_id, [parsed]);
}

function languageOf(session: Session, visit: Visit, request: Request): string | null {
  const [preferred = null] = (request.headers.get("accept-language") ?? "").split(/[,;]/);
  const parts = [...session.subject.questions, session.appearance];
  return languageFor(parts, [visit.language, preferred?.trim() ?? null]);
}

/** The initial state, with the answers that the URL suggests. */
function beginning(session: Session, visit: Visit, request: Request, preview: boolean): FormState {
  const submission = uuidv7();
  const questions = questionsFor(session, submission);
  const { properties, embed } = visit;
  const state: FormState = {
    survey: session.row.id,
    submission,
    distinct_id: visit.distinct_id ?? shownHereTo(session.row, request) ?? uuidv4(),
    at: session.appearance.displayIntroScreen === true ? null : placeOf(questions, 0),
    path: [],
    answers: {},
    properties,
    language: languageOf(session, visit, request),
    embed,
    preview,
  };
  for (const [index] of questions.entries()) {
    const view = viewAt(session, state, questions, index);
    const suggested = view.control.suggested(visit.prefill.get(view.index) ?? []);
    if (suggested !== undefined) state.answers[view.id] = suggested;
  }
  return state;
}

const cookiePlace = ({ path, address }: Session): Place => ({ path, isSecure: address.startsWith("https:") });

async function show(mounting: Mounting, c: Context): Promise<Response> {
  const url = new URL(c.req.url);
  const now = new Date();
  const visit = parseVisit(url.searchParams);
  const id = c.req.param("id") ?? "";
  const { session, isOpen, preview } = await sessionFor(mounting, id, url, now, (key) =>
    isPreviewOf(key, id, visit.preview),
  );
  if (!isOpen) throw new Closing(404, "closed", session);
  const state = beginning(session, visit, c.req.raw, preview);
  const frame = frameOf(session, state);
  if (preview) return answer(pageOf(session, state, frame), frame, session);
  if (await hasAnswered(mounting.runtime, session.row, state.distinct_id, c.req.raw))
    throw new Closing(200, "answered", session);
  if (!(await isInvited(mounting.runtime, session.row, state.distinct_id)))
    throw new Closing(404, "later", session);
  const content = pageOf(session, state, frame);
  if (!isLooking(c.req.raw)) return answer(content, frame, session);
  // A page that is opened again during a visit was shown once.
  if (shownHereTo(session.row, c.req.raw) !== state.distinct_id)
    await store(mounting.runtime, session, shownEvent(session.subject, state, session.address, now), now);
  return answer(
    content,
    frame,
    session,
    200,
    shownCookie(session.row, state.distinct_id, cookiePlace(session)),
  );
}

/** Goes back to the last answered question that still exists. */
function wentBack(session: Session, state: FormState): FormState {
  const questions = questionsFor(session, state.submission);
  const path = [...state.path];
  for (let last = path.pop(); last; last = path.pop()) {
    const index = find(questions, last);
    if (index >= 0) return { ...state, path, at: placeOf(questions, index) };
  }
  return { ...state, path: [], at: placeOf(questions, 0) };
}

/**
 * Whether a response is counted already: then it may be completed, corrected or sent again, even after the survey has
 * closed.
 */
function hasBegun({ db }: Runtime, { row }: Session, { submission }: FormState): Promise<boolean> {
  const { project_id, id: survey_id } = row;
  return hasResponse(db, { project_id, survey_id, key: responseKey(submission, submission) });
}

type Step = { session: Session; before: FormState; state: FormState; now: Date; request: Request };

/** Stores an answer; of simultaneous answers, no more than the response limit allows. */
async function storeAnswer(runtime: Runtime, step: Step, isCompleted: boolean) {
  const { session, state, now, request } = step;
  const event = sentEvent(session.subject, state, session.address, isCompleted);
  const isAnother = await hasAnswered(runtime, session.row, state.distinct_id, request);
  if (isAnother && !(await hasBegun(runtime, session, state))) throw new Closing(200, "answered", session);
  if (!session.row.responses_limit) return store(runtime, session, event, now);
  await runExclusively(runtime.db, session.row.id, async (tx) => {
    const isLate = await isFull(tx, session.row);
    if (isLate && !(await hasBegun(runtime, session, state))) throw new Closing(404, "closed", session);
    await store(runtime, session, event, now);
  });
}

/** Stores the answer and shows the next page. */
async function proceed(runtime: Runtime, step: Step) {
  const { session, before, state } = step;
  const questions = questionsFor(session, state.submission);
  const next = nextOf(questions, state);
  const isCompleted = next === "end";
  const frame = frameOf(session, state);
  const isAnswered = state !== before;
  if (!state.preview && (isCompleted || (isAnswered && session.row.enable_partial_responses))) {
    try {
      await storeAnswer(runtime, step, isCompleted);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const page = pageOf(session, { ...before, answers: state.answers }, frame, {
        notice: frame.texts.busy,
      });
      return answer(page, frame, session, error.status);
    }
  }
  if (isCompleted) {
    const cookie = state.preview ? null : answeredCookie(session.row, cookiePlace(session));
    return answer(pageAtEnd(session, state, frame), frame, session, 200, cookie);
  }
  return answer(pageOf(session, { ...state, at: placeOf(questions, next) }, frame), frame, session);
}

async function take({ runtime, ...rest }: Mounting, c: Context): Promise<Response> {
  const now = new Date();
  const request = c.req.raw;
  const form = new URLSearchParams((await readBytes(request, FORM_MAX)).toString("utf8"));
  const id = c.req.param("id") ?? "";
  const stateFor = (key: Buffer) => open(key, form.get("state") ?? "", id.toLowerCase());
  const { session, isOpen } = await sessionFor(
    { runtime, ...rest },
    id,
    new URL(request.url),
    now,
    (key) => stateFor(key)?.preview === true,
  );
  const state = stateFor(session.key);
  if (!state) throw new Closing(400, "broken", session);
  const frame = frameOf(session, state);
  const questions = questionsFor(session, state.submission);
  const index = state.at === null ? -1 : find(questions, state.at);
  const action = form.get("action");
  if (action === "back") return answer(pageOf(session, wentBack(session, state), frame), frame, session);
  // The question is gone, or the survey only starts: ask the next one.
  if (index < 0) {
    if (!isOpen && !(await hasBegun(runtime, session, state))) throw new Closing(404, "closed", session);
    return proceed(runtime, { session, before: state, state, now, request });
  }
  const view = viewAt(session, state, questions, index);
  const answered = view.control.read(action === "skip" && view.isOptional ? skipping(form) : form);
  if ("problem" in answered) {
    const { problem } = answered;
    const remarks = {
      sent: { answers: form.getAll("answer"), other: form.get("other") ?? "" },
      problem: { text: problemText(frame.texts, problem), field: problem.field },
    };
    return answer(pageOf(session, state, frame, remarks), frame, session, 422);
  }
  const after = {
    ...state,
    path: [...state.path, placeOf(questions, index)],
    answers: { ...state.answers, [view.id]: answered.response },
  };
  if (!isOpen && !(await hasBegun(runtime, session, state))) throw new Closing(404, "closed", session);
  return proceed(runtime, { session, before: state, state: after, now, request });
}

/** A form without an answer. */
const skipping = (form: URLSearchParams) => new URLSearchParams({ action: form.get("action") ?? "" });

/**
 * Serves surveys of the type external_survey as hosted pages: one question per page, without scripts. The
 * respondent's progress travels in the form, signed; cookies say that the survey was shown, and answered.
 */
export function mountHostedSurveys(mounting: Mounting): void {
  const { app } = mounting;
  app.get(PATH, readable(show, mounting));
  app.post(PATH, readable(take, mounting));
  app.all(PATH, (c) => {
    throw methodNotAllowed(c.req.method);
  });
}
