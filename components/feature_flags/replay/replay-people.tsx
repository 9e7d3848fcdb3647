"use client";

import { useInfiniteQuery } from "@tanstack/react-query";
import type { Route } from "next";
import { valueInWords } from "#components/conditions/outcome-words.ts";
import { callFromBrowser } from "#components/kit/use-endpoint.ts";
import { Button } from "#components/ui/button.tsx";
import { RelativeTime } from "#components/ui/display/relative-time.tsx";
import { Skeleton } from "#components/ui/display/skeleton.tsx";
import { Link } from "#components/ui/link.tsx";
import type {
  ReplayRequest,
  ReplayRows,
  replayContract,
} from "#lib/flags/feature_flags/replay/replay-contract.ts";
import { canonical } from "#lib/platform/canonical.ts";
import { formatCount, plural } from "#lib/platform/format.ts";
import type { Answer } from "#lib/platform/http/contract.ts";

type Page = Answer<typeof replayContract.replay_people>;
type Person = Page["results"][number];
type Props = { projectId: string; request: ReplayRequest; rows: ReplayRows; count: number };

const FIRST = 10;
const MORE = 500;

/** The people behind one count of a replay: some at first, then more. */
export function ReplayPeople({ projectId, request, rows, count }: Props) {
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: ["replay-people", projectId, canonical({ request, rows })],
    queryFn: ({ pageParam, signal }) =>
      callFromBrowser<typeof replayContract.replay_people>(
        "/api/projects/{project_id}/feature_flags/replay/people/",
        {
          params: { project_id: projectId },
          query: { limit: String(pageParam === 0 ? FIRST : MORE), offset: String(pageParam) },
          body: { ...request, rows },
        },
        signal,
      ),
    initialPageParam: 0,
    getNextPageParam: (last: Page, pages: Page[]) =>
      last.next === null ? null : pages.reduce((sum, page) => sum + page.results.length, 0),
    retry: false,
  });
  if (error && !data) return <p className="px-3 pb-2 text-warning-text text-xs">{error.message}</p>;
  if (!data) return <Skeleton className="mx-3 mb-3 h-16" />;
  const people = data.pages.flatMap((page) => page.results);
  return (
    <div className="flex flex-col gap-1 px-3 pb-2 text-xs">
      <ul aria-label="People" className="max-h-72 overflow-y-auto scroll-thin">
        {people.map((person) => (
          <li
            key={person.distinct_id}
            className="flex min-h-6 flex-wrap items-center gap-x-2 break-all text-muted"
          >
            <Name projectId={projectId} person={person} />
            <span className="text-faint">
              {person.values.length > 0
                ? person.values.map((each) => `${each.distinct_id}: ${words(each.value)}`).join(", ")
                : rows.of === "cause"
                  ? `recorded ${words(person.recorded)}, expected ${words(person.expected)}`
                  : null}
            </span>
            <span className="tabular ml-auto text-faint">
              {plural(person.calls, "call")}, <RelativeTime date={person.last ?? ""} />
            </span>
          </li>
        ))}
      </ul>
      <div className="flex flex-wrap items-center gap-x-1">
        <p className="tabular mr-1 text-faint">
          {formatCount(people.length)} of {formatCount(count)} shown
        </p>
        {hasNextPage ? (
          <Button size="sm" variant="ghost" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Show more
          </Button>
        ) : null}
      </div>
    </div>
  );
}

const words = (value: Person["recorded"]) => (value === null ? "no value" : valueInWords(value));

function Name({ projectId, person }: { projectId: string; person: Person }) {
  if (!person.person) return <span>{person.distinct_id} (no person)</span>;
  return (
    <Link
      href={`/project/${projectId}/persons/${person.person.id}` as Route}
      target="_blank"
      className="inline-flex min-h-6 items-center hover:text-ink hover:underline"
    >
      {person.person.name}
    </Link>
  );
}
