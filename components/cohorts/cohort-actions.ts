import type { z } from "zod";
import type { Outcome } from "#components/feature_flags/flag-actions.ts";
import type { CohortRecord, cohortCreate, cohortUpdate, membersAdded } from "#lib/people/cohorts/schema.ts";

/** What the pages let the browser do with cohorts: server actions that write with the signed-in key. */
export type CohortActions = {
  create: (projectId: string, body: z.input<typeof cohortCreate>) => Promise<Outcome<CohortRecord>>;
  update: (
    projectId: string,
    id: number,
    body: z.input<typeof cohortUpdate>,
  ) => Promise<Outcome<CohortRecord>>;
  count: (projectId: string, id: number) => Promise<Outcome<CohortRecord>>;
  addMembers: (
    projectId: string,
    id: number,
    distinctIds: string[],
  ) => Promise<Outcome<z.output<typeof membersAdded>>>;
  addMember: (
    projectId: string,
    id: number,
    personId: string,
  ) => Promise<Outcome<z.output<typeof membersAdded>>>;
  removeMember: (projectId: string, id: number, personId: string) => Promise<Outcome<{ success: true }>>;
};

/** Ids from pasted text: one per line, or separated by commas, semicolons or tabs; without duplicates. */
export const idsIn = (text: string): string[] => [
  ...new Set(
    text
      .split(/[\n\r\t,;]+/)
      .map((id) => id.trim().replace(/^"(.*)"$/, "$1"))
      .filter(Boolean),
  ),
];
