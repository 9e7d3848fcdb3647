import { ChevronLeft, ChevronRight } from "lucide-react";
import type { Route } from "next";
import { formatCount } from "#lib/platform/format.ts";
import { buttonClass } from "./button-class.ts";
import { cn } from "./cn.ts";
import { Link } from "./link.tsx";

type PaginationProps = {
  /** Rows before this page. */
  offset: number;
  /** Rows on a page. */
  limit: number;
  /** Rows in all, or as far as they were counted. */
  count: number;
  /** false: there may be more rows than `count`. */
  exact?: boolean;
  /** Where the list goes on past what was counted. */
  beyond?: Route | null;
  /** What a row is, in the plural: "flags". */
  noun: string;
  /** Address of the page that starts at an offset. */
  hrefFor: (offset: number) => Route;
};

/** Shows the current range and total, with links to other pages. */
export function Pagination({
  offset,
  limit,
  count,
  exact = true,
  beyond = null,
  noun,
  hrefFor,
}: PaginationProps) {
  const first = Math.min(offset + 1, count);
  const last = Math.min(offset + limit, count);
  const total = `${formatCount(count)}${exact ? "" : "+"} ${noun}`;
  return (
    <nav aria-label="Pages" className="flex items-center justify-between gap-3 py-3 text-muted text-xs">
      <p className="tabular">
        {count === 0 ? `No ${noun}` : null}
        {count > 0 && count <= limit && offset === 0 ? total : null}
        {count > limit || (count > 0 && offset > 0)
          ? `${formatCount(first)}–${formatCount(last)} of ${total}`
          : null}
      </p>
      {count > limit || offset > 0 || beyond ? (
        <div className="flex gap-1.5">
          <Step
            label="Previous"
            icon="left"
            href={offset > 0 ? hrefFor(Math.max(0, offset - limit)) : null}
          />
          <Step label="Next" icon="right" href={last < count ? hrefFor(offset + limit) : beyond} />
        </div>
      ) : null}
    </nav>
  );
}

function Step({ label, icon, href }: { label: string; icon: "left" | "right"; href: Route | null }) {
  const face = (
    <>
      {icon === "left" ? <ChevronLeft aria-hidden="true" /> : null}
      {label}
      {icon === "right" ? <ChevronRight aria-hidden="true" /> : null}
    </>
  );
  const look = buttonClass("secondary", "sm");
  if (!href) {
    return (
      <span aria-disabled="true" className={cn(look, "hover:bg-surface")}>
        {face}
      </span>
    );
  }
  return (
    <Link href={href} className={look} rel={icon === "left" ? "prev" : "next"}>
      {face}
    </Link>
  );
}
