import type { Route } from "next";

/** Whose rows a count opens. */
export type PeopleQuery = {
  kind: "exposed" | "multiple" | "converted" | "step" | "sum" | "denominator";
  variant?: string;
  metric_uuid?: string;
  step?: number;
  offset?: number;
};

/** The page of exactly the people that a figure counts. */
export function peopleHref(projectId: string, experimentId: number, query: PeopleQuery): Route {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== 0) params.set(name, String(value));
  return `/project/${projectId}/experiments/${experimentId}/people?${params}` as Route;
}
