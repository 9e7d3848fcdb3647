import { parse } from "hono/utils/cookie";
import type { SurveyRow } from "#lib/surveys/surveys/store.ts";
import { DISTINCT_ID_MAX } from "./address.ts";

/** Whether people may answer a survey as often as they like. */
export const asksAlways = ({ schedule }: SurveyRow): boolean => schedule === "always";

const ANSWERED = "answered";
const SHOWN = "shown";

const YEAR = 31_536_000;
/** Somebody who opens a page again within half an hour is still at the same visit. */
const VISIT = 1_800;

const iterationOf = (row: SurveyRow): string => String(row.current_iteration ?? 0);

/** Where a survey's cookies are sent back to. */
export type Place = { path: string; isSecure: boolean };

const cookie = (name: string, value: string, maxAge: number, { path, isSecure }: Place): string =>
  `${name}=${value}; Path=${path}; Max-Age=${maxAge}; HttpOnly; SameSite=Lax${isSecure ? "; Secure" : ""}`;

const storedCookie = (request: Request, name: string): string | undefined =>
  parse(request.headers.get("cookie") ?? "", name)[name];

/** What a browser keeps after a survey was answered there; one that asks always can be shown again afterwards. */
export const answeredCookie = (row: SurveyRow, place: Place): string =>
  asksAlways(row) ? cookie(SHOWN, "", 0, place) : cookie(ANSWERED, iterationOf(row), YEAR, place);

/** Whether a survey, or its current iteration, was answered in a browser. */
export const wasAnsweredHere = (row: SurveyRow, request: Request): boolean =>
  storedCookie(request, ANSWERED) === iterationOf(row);

/** What a browser keeps during a visit: as whom a survey, or its current iteration, was shown. */
export const shownCookie = (row: SurveyRow, distinctId: string, place: Place): string =>
  cookie(SHOWN, `${iterationOf(row)}.${encodeURIComponent(distinctId)}`, VISIT, place);

/** As whom a survey, or its current iteration, was shown in a browser during this visit; null if it was not. */
export function shownHereTo(row: SurveyRow, request: Request): string | null {
  const [, iteration, distinctId = ""] = /^(\d+)\.(.+)$/s.exec(storedCookie(request, SHOWN) ?? "") ?? [];
  const isReadable = distinctId.length <= DISTINCT_ID_MAX && !distinctId.includes("\0");
  return iteration === iterationOf(row) && isReadable && distinctId.trim() !== "" ? distinctId : null;
}
