import { ChevronRight } from "lucide-react";
import type { ResponseRow } from "#lib/surveys/results/schema.ts";
import { pathWords } from "./response-words.ts";

/** The questions that somebody saw, in order. */
export function PathTaken({ row }: { row: Pick<ResponseRow, "path" | "ended"> }) {
  if (row.path.length === 0) return null;
  return (
    <span
      className="inline-flex flex-wrap items-center gap-0.5 text-2xs text-muted"
      role="img"
      aria-label={`Path: ${pathWords(row)}`}
    >
      {row.path.map((index, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a path may come to a question twice
        <span key={place} className="inline-flex items-center gap-0.5">
          {place > 0 ? <ChevronRight aria-hidden="true" className="size-3 text-faint" /> : null}
          <span className="tabular grid h-4 min-w-4 place-items-center rounded-xs bg-hover px-1 font-medium">
            {index + 1}
          </span>
        </span>
      ))}
      {row.ended ? (
        <>
          <ChevronRight aria-hidden="true" className="size-3 text-faint" />
          <span className={row.ended === "end" ? "text-success-text" : "text-warning-text"}>
            {row.ended === "end" ? "end" : "stopped"}
          </span>
        </>
      ) : null}
    </span>
  );
}
