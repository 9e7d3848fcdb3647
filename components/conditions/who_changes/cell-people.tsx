"use client";

import { Download } from "lucide-react";
import type { Route } from "next";
import { useState } from "react";
import { valueInWords } from "#components/conditions/outcome-words.ts";
import { Button } from "#components/ui/button.tsx";
import { cn } from "#components/ui/cn.ts";
import { Skeleton } from "#components/ui/display/skeleton.tsx";
import { Link } from "#components/ui/link.tsx";
import { toast } from "#components/ui/overlay/toaster.tsx";
import { fileName, saveFile } from "#components/ui/save-file.ts";
import { formatCount } from "#lib/platform/format.ts";
import { csvOfCell, type Member, type Source, useCellMembers } from "./use-cell-members.ts";
import type { Cell } from "./use-who-changes.ts";

type Props = {
  projectId: string;
  proposed: Source;
  cell: Cell;
  /** How many are shown at first. */
  first: number;
  /** Whether groups are counted rather than people. */
  ofGroups?: boolean;
  label?: string;
  className?: string;
};

/** The people (or groups) behind one count of a change: some at first, then more, and all of them as a file. */
export function CellPeople({ projectId, proposed, cell, first, ofGroups = false, label, className }: Props) {
  const of = { projectId, proposed, cell, ofGroups };
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = useCellMembers(of, first);
  const [exporting, setExporting] = useState(false);
  if (error && !data) return <p className={cn("text-warning-text text-xs", className)}>{error.message}</p>;
  if (!data) return <Skeleton className="mx-3 mb-3 h-16" />;
  const members = data.pages.flatMap((page) => page.members);
  async function exportAll() {
    setExporting(true);
    try {
      const name = `${proposed.key ?? "flag"} ${nameOf(cell.before)} to ${nameOf(cell.after)}`;
      saveFile(`${fileName(name)}.csv`, new Blob([await csvOfCell(of)], { type: "text/csv" }));
    } catch {
      toast.error("The file was not made", { description: "The service did not respond. Try again." });
    } finally {
      setExporting(false);
    }
  }
  return (
    <div className={cn("flex flex-col gap-1 text-xs", className)}>
      <ul aria-label={label} className="max-h-52 overflow-y-auto scroll-thin">
        {members.map((member) => (
          <li key={member.key} className="flex min-h-6 items-center break-all text-muted">
            <MemberName projectId={projectId} member={member} />
          </li>
        ))}
      </ul>
      <div className="flex flex-wrap items-center gap-x-1">
        <p className="tabular mr-1 text-faint">
          {formatCount(members.length)} of {formatCount(cell.count)} shown
        </p>
        {hasNextPage && members.length < cell.count ? (
          <Button size="sm" variant="ghost" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Show more
          </Button>
        ) : null}
        <Button
          size="sm"
          variant="ghost"
          icon={Download}
          loading={exporting}
          onClick={() => void exportAll()}
        >
          Export CSV
        </Button>
      </div>
      {error ? <p className="text-warning-text">{error.message}</p> : null}
    </div>
  );
}

const nameOf = (value: Cell["before"]) => (value === null ? "no flag" : valueInWords(value));

function MemberName({ projectId, member }: { projectId: string; member: Member }) {
  if (member.path === null) return member.name;
  return (
    <Link
      href={`/project/${projectId}/${member.path}` as Route}
      target="_blank"
      className="hover:text-ink hover:underline"
    >
      {member.name}
    </Link>
  );
}
