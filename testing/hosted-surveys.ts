import type { Service } from "./service.ts";
import { createSurvey } from "./surveys.ts";

const ENTITIES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };
const unescaped = (text: string) =>
  text.replace(/&(amp|lt|gt|quot|#39);/g, (_, name) => ENTITIES[name] ?? "");

/** A page as somebody without a script has it. */
export type HostedPage = {
  status: number;
  headers: Headers;
  html: string;
  /** Text of the heading; "" where there is none. */
  heading: string;
  /** What the hidden field holds; null where there is no form. */
  state: string | null;
  /** What is said to be wrong. */
  problem: string | null;
  /** Sends the form with these fields, as a browser does. */
  send: (fields?: Record<string, string | string[] | undefined>) => Promise<HostedPage>;
};

async function pageOf(service: Service, path: string, response: Response): Promise<HostedPage> {
  const html = await response.text();
  const match = (pattern: RegExp) => {
    const [, found] = pattern.exec(html) ?? [];
    return found === undefined ? null : unescaped(found.replace(/<[^>]*>/g, "")).trim();
  };
  const state = match(/name="state" value="([^"]*)"/);
  return {
    status: response.status,
    headers: response.headers,
    html,
    heading: match(/<h1[^>]*>(.*?)<\/h1>/s) ?? "",
    state,
    problem: match(/<p class="problem"[^>]*>(.*?)<\/p>/s),
    send: (fields = {}) => {
      const form = new URLSearchParams({ action: "answer", state: state ?? "" });
      for (const [name, value] of Object.entries(fields)) {
        form.delete(name);
        for (const one of [value ?? []].flat()) form.append(name, one);
      }
      return post(service, path, form.toString());
    },
  };
}

/** Sends a form to a survey's address. */
export async function post(service: Service, path: string, body: string): Promise<HostedPage> {
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const request = new Request(`http://switchyard.test${path}`, { method: "POST", headers, body });
  return pageOf(service, path, await service.handle(request));
}

/** Opens a survey's address. */
export async function visit(
  service: Service,
  id: string,
  query = "",
  init: RequestInit = {},
): Promise<HostedPage> {
  const path = `/external_surveys/${id}/`;
  return pageOf(
    service,
    path,
    await service.handle(new Request(`http://switchyard.test${path}${query}`, init)),
  );
}

/** A launched survey that has an address of its own. */
export const launch = (service: Service, questions: unknown[], fields: Record<string, unknown> = {}) =>
  createSurvey(service, {
    type: "external_survey",
    start_date: "2026-01-01T00:00:00Z",
    questions,
    ...fields,
  });

type Stored = { event: string; distinct_id: string; uuid: string; properties: Record<string, unknown> };

/** The stored events of a survey, oldest first. */
export async function eventsOf(service: Service, id: string): Promise<Stored[]> {
  const { json } = await service.api("GET", "/api/projects/1/events/?limit=100");
  const all: Stored[] = json.results;
  return all.filter(({ properties }) => properties.$survey_id === id).reverse();
}
