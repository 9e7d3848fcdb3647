"use client";

import { useInfiniteQuery } from "@tanstack/react-query";
import { callFromBrowser } from "#components/kit/use-endpoint.ts";
import type { changeRequestContract } from "#lib/approvals/change_requests/contract.ts";
import type { whoChangesContract } from "#lib/flags/feature_flags/who_changes/who-changes-contract.ts";
import { canonical } from "#lib/platform/canonical.ts";
import { writeCsvLine } from "#lib/platform/csv.ts";
import type { Cell, Proposed } from "./use-who-changes.ts";

/** Somebody behind a count: a person, or a group. */
export type Member = {
  key: string;
  name: string;
  /** Path of the person's page within the project; groups have none. */
  path: string | null;
  distinct_ids: readonly string[];
};

/** Where a list goes on: after a part of the people, with those of the next part that were listed already. */
type Position = { after_person: number; offset: number };
type Page = { members: Member[]; next: Position | null };

const START: Position = { after_person: 0, offset: 0 };
const MORE = 500;
const AT_ONCE = 10_000;

const nameOf = (properties: Record<string, unknown>, key: string) =>
  typeof properties.name === "string" && properties.name ? `${properties.name} (${key})` : key;

/** A flag of a change request: what it is changed to is known to the service. */
type RequestedFlag = { request: string; flag: number; key: string };
/** What is behind a count: a change that would be saved, or a part of a change request. */
export type Source = Proposed | RequestedFlag;

type Of = { projectId: string; proposed: Source; cell: Cell; ofGroups: boolean };

type Listing = {
  query: { limit: string; offset: string };
  after_person: number;
  signal: AbortSignal | undefined;
};

function readPeople({ projectId, proposed, cell }: Of, { query, after_person, signal }: Listing) {
  const { before, after } = cell;
  if ("request" in proposed)
    return callFromBrowser<typeof changeRequestContract.who_changes_people>(
      "/api/projects/{project_id}/change_requests/{id}/who_changes/people/",
      {
        params: { project_id: projectId, id: proposed.request },
        query,
        body: { flag: proposed.flag, before, after, after_person },
      },
      signal,
    );
  return callFromBrowser<typeof whoChangesContract.who_changes_people>(
    "/api/projects/{project_id}/feature_flags/who_changes/people/",
    { params: { project_id: projectId }, query, body: { ...proposed, before, after, after_person } },
    signal,
  );
}

function readGroups({ projectId, proposed, cell }: Of, { query, signal }: Listing) {
  const { before, after } = cell;
  if ("request" in proposed)
    return callFromBrowser<typeof changeRequestContract.who_changes_groups>(
      "/api/projects/{project_id}/change_requests/{id}/who_changes/groups/",
      {
        params: { project_id: projectId, id: proposed.request },
        query,
        body: { flag: proposed.flag, before, after },
      },
      signal,
    );
  return callFromBrowser<typeof whoChangesContract.who_changes_groups>(
    "/api/projects/{project_id}/feature_flags/who_changes/groups/",
    { params: { project_id: projectId }, query, body: { ...proposed, before, after } },
    signal,
  );
}

/** Some of the people or groups that a change moves from one value to another. */
async function readPage(of: Of, at: Position, limit: number, signal?: AbortSignal): Promise<Page> {
  const listing = {
    query: { limit: String(limit), offset: String(at.offset) },
    after_person: at.after_person,
    signal,
  };
  const listedTo = (listed: number, count: number): Position | null =>
    listed > 0 && at.offset + listed < count ? { ...at, offset: at.offset + listed } : null;
  if (of.ofGroups) {
    const found = await readGroups(of, listing);
    const members = found.results.map(({ group_key, group_properties }) => ({
      key: group_key,
      name: nameOf(group_properties, group_key),
      path: null,
      distinct_ids: [],
    }));
    return { members, next: listedTo(members.length, found.count) };
  }
  const found = await readPeople(of, listing);
  const members = found.results.map(({ id, name, distinct_ids }) => ({
    key: id,
    name,
    path: `persons/${id}`,
    distinct_ids,
  }));
  const nextPart = found.next_person === null ? null : { after_person: found.next_person, offset: 0 };
  return { members, next: listedTo(members.length, found.count) ?? nextPart };
}

/** The same, across parts in which there is nobody. */
async function readSome(of: Of, at: Position, limit: number, signal?: AbortSignal): Promise<Page> {
  let page = await readPage(of, at, limit, signal);
  while (page.members.length === 0 && page.next) page = await readPage(of, page.next, limit, signal);
  return page;
}

/** The people or groups behind one count, page by page to the last of them. */
export function useCellMembers(of: Of, first: number) {
  const { projectId, proposed, cell, ofGroups } = of;
  return useInfiniteQuery({
    queryKey: ["who-changes-members", projectId, canonical({ proposed, cell, ofGroups, first })],
    queryFn: ({ pageParam, signal }) => readSome(of, pageParam, pageParam === START ? first : MORE, signal),
    initialPageParam: START,
    getNextPageParam: (last: Page) => last.next,
    retry: false,
  });
}

/** All of them as CSV. */
export async function csvOfCell(of: Of): Promise<string> {
  const text = (value: Cell["before"]) => (value === null ? "" : String(value));
  const heads = of.ofGroups ? ["group_key", "name"] : ["person_id", "name", "distinct_id"];
  const lines = [writeCsvLine([...heads, "before", "after"])];
  const values = [text(of.cell.before), text(of.cell.after)];
  for (let at: Position | null = START; at; ) {
    const page: Page = await readPage(of, at, AT_ONCE);
    for (const { key, name, distinct_ids } of page.members)
      lines.push(
        writeCsvLine(of.ofGroups ? [key, name, ...values] : [key, name, distinct_ids[0] ?? "", ...values]),
      );
    at = page.next;
  }
  return lines.join("");
}
