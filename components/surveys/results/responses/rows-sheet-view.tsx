"use client";

import { Filter } from "lucide-react";
import { usePathname, useRouter, useSearchParams } from "next/navigation";
import { type ReactNode, useState, useTransition } from "react";
import type { ResponseActions } from "#app/project/[project_id]/surveys/[id]/response-actions.ts";
import { Sentence } from "#components/conditions/sentence.tsx";
import type { Access } from "#components/kit/access.tsx";
import { useEndpoint } from "#components/kit/use-endpoint.ts";
import { ExportMenu } from "#components/surveys/results/filters/export-menu.tsx";
import { conditionsOf } from "#components/surveys/results/filters/read-results-query.ts";
import {
  filterParams,
  linksOf,
  type ResultsQuery,
  readOpened,
} from "#components/surveys/results/filters/results-query.ts";
import { Button } from "#components/ui/button.tsx";
import { Callout } from "#components/ui/display/callout.tsx";
import { Skeleton } from "#components/ui/display/skeleton.tsx";
import { Dialog } from "#components/ui/overlay/dialog.tsx";
import type { Token } from "#lib/people/conditions/words.ts";
import { formatCount, plural } from "#lib/platform/format.ts";
import type { surveyResultsContract } from "#lib/surveys/results/contract.ts";
import { ArchiveButton } from "./archive-button.tsx";
import { ResponseItem } from "./response-item.tsx";

/** Responses can be exported; views, dismissals and people are listed only. */
const exportable = ({ unit, event = "answered" }: Record<string, string>) =>
  unit !== "people" && ["answered", "completed", "unfinished"].includes(event);

type Props = {
  projectId: string;
  surveyId: string;
  query: ResultsQuery;
  /** The page's filter in words. */
  filter: readonly Token[];
  access: Access;
  actions: ResponseActions;
};

/** The rows behind a figure, in a sheet. What is open is in the URL. */
export function RowsSheet(props: Props) {
  const params = useSearchParams();
  const opened = readOpened(new URLSearchParams(params));
  const path = usePathname();
  const close = () => {
    const left = new URLSearchParams(params);
    left.delete("open");
    left.delete("of");
    window.history.pushState(null, "", left.size > 0 ? `${path}?${left}` : path);
  };
  return (
    <Dialog
      kind="drawer"
      size="lg"
      open={opened !== null}
      onOpenChange={(open) => {
        if (!open) close();
      }}
      title={opened?.of || "Rows"}
      description={
        props.filter.length > 0 ? (
          <>
            Within the page's filter: <Sentence tokens={props.filter} />
          </>
        ) : (
          "Exactly the rows behind the figure."
        )
      }
      className="px-0 pb-0"
    >
      {opened ? <Opened key={JSON.stringify(opened)} {...props} rows={opened.rows} /> : null}
    </Dialog>
  );
}

const SIZE = 25;

const NOUNS: Readonly<Record<string, string>> = {
  shown: "view",
  dismissed: "dismissal",
  left: "event",
  abandoned: "event",
};

/** What the rows are, one of them and several. */
function nounOf({ unit, event = "answered" }: Record<string, string>): { one: string; many: string } {
  if (unit === "people") return { one: "person", many: "people" };
  const one = NOUNS[event] ?? "response";
  return { one, many: `${one}s` };
}

function Opened({ rows, ...props }: Props & { rows: Record<string, string> }) {
  const { projectId, surveyId, query } = props;
  const [offset, setOffset] = useState(0);
  const params = { ...filterParams(query), ...rows };
  const found = useEndpoint<typeof surveyResultsContract.responses>(
    "/api/projects/{project_id}/surveys/{id}/responses/",
    {
      params: { project_id: projectId, id: surveyId },
      query: { ...params, limit: String(SIZE), offset: String(offset) } as never,
    },
  );
  if (found.error)
    return (
      <div className="px-5">
        <Callout tone="danger" title="Could not load the rows" live>
          {found.error.message}
        </Callout>
      </div>
    );
  const count = found.data?.count;
  const { one, many } = nounOf(rows);
  return (
    <div className="flex min-h-full flex-col">
      <div className="sticky top-0 z-10 flex min-h-11 flex-wrap items-center gap-2 border-b bg-raised px-5 py-2">
        <p role="status" className="tabular font-medium text-sm" data-testid="rows-count">
          {count === undefined ? <Skeleton className="h-4 w-20" /> : plural(count, one, many)}
        </p>
        <div className="ml-auto flex items-center gap-1.5">
          <FilterButton {...props} rows={rows} />
          {!exportable(rows) || count === undefined ? null : (
            <ExportMenu
              projectId={projectId}
              surveyId={surveyId}
              params={params}
              what={plural(count, one, many)}
            />
          )}
        </div>
      </div>
      {found.data ? (
        <ol className="scroll-mt-12 divide-y" aria-label="Rows" aria-busy={found.isFetching}>
          {found.data.results.map((row) => (
            <ResponseItem
              key={row.uuid}
              projectId={projectId}
              surveyId={surveyId}
              row={row}
              actions={
                row.completed === null ? null : <Away {...props} uuid={row.uuid} archived={row.archived} />
              }
            />
          ))}
        </ol>
      ) : (
        <Waiting />
      )}
      {count === 0 ? (
        <p className="px-5 py-10 text-center text-muted text-sm">No rows: the figure is zero.</p>
      ) : null}
      {count !== undefined && count > SIZE ? (
        <Steps offset={offset} count={count} onOffset={setOffset} />
      ) : null}
    </div>
  );
}

const Away = ({
  projectId,
  surveyId,
  access,
  actions,
  uuid,
  archived,
}: Props & { uuid: string; archived: boolean }) => (
  <ArchiveButton {...{ projectId, surveyId, access, actions, uuid, archived }} />
);

/** Filters the whole page by the rows, if answer conditions define them. */
function FilterButton({
  projectId,
  surveyId,
  query,
  rows,
}: Props & { rows: Record<string, string> }): ReactNode {
  const router = useRouter();
  const [pending, start] = useTransition();
  const conditions = conditionsOf(rows);
  if (!conditions) return null;
  const href = linksOf(projectId, surveyId, query).go({ answers: [...query.answers, ...conditions] });
  return (
    <Button
      size="sm"
      variant="ghost"
      loading={pending}
      icon={Filter}
      onClick={() => start(() => router.push(href, { scroll: false }))}
    >
      Filter the page by this
    </Button>
  );
}

function Steps({
  offset,
  count,
  onOffset,
}: {
  offset: number;
  count: number;
  onOffset: (offset: number) => void;
}) {
  const last = Math.min(offset + SIZE, count);
  const go = (next: number) => {
    onOffset(next);
    document.querySelector('[aria-label="Rows"]')?.scrollIntoView({ block: "start" });
  };
  return (
    <nav
      aria-label="Pages of rows"
      className="flex items-center justify-between gap-3 border-t px-5 py-3 text-muted text-xs"
    >
      <p className="tabular">{`${formatCount(offset + 1)}–${formatCount(last)} of ${formatCount(count)}`}</p>
      <div className="flex gap-1.5">
        <Button size="sm" disabled={offset === 0} onClick={() => go(Math.max(0, offset - SIZE))}>
          Previous
        </Button>
        <Button size="sm" disabled={last >= count} onClick={() => go(offset + SIZE)}>
          Next
        </Button>
      </div>
    </nav>
  );
}

function Waiting() {
  return (
    <div role="status" aria-label="Loading the rows" className="flex flex-col gap-5 px-5 py-4">
      {[0, 1, 2, 3].map((row) => (
        <div key={row} className="flex flex-col gap-2">
          <Skeleton className="h-3 w-40" />
          <Skeleton className="h-4 w-4/5" />
        </div>
      ))}
    </div>
  );
}
