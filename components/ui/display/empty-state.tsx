import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import { cn } from "#components/ui/cn.ts";

type EmptyStateProps = {
  icon?: LucideIcon;
  title: string;
  /** What this place is for, in a sentence or two. */
  children?: ReactNode;
  /** The first thing to do, then others. */
  actions?: ReactNode;
  /** `plain` inside a table or card. */
  kind?: "framed" | "plain";
  className?: string;
};

/** Nothing here yet: says what the place is for, and offers the first step. */
export function EmptyState({
  icon: Icon,
  title,
  children,
  actions,
  kind = "framed",
  className,
}: EmptyStateProps) {
  return (
    <div
      className={cn(
        "flex flex-col items-center px-6 py-14 text-center",
        kind === "framed" && "rounded-xl border border-line-strong border-dashed",
        className,
      )}
    >
      {Icon ? (
        <span className="mb-4 grid size-10 place-items-center rounded-lg border bg-surface text-accent-text shadow-card">
          <Icon aria-hidden="true" className="size-5" />
        </span>
      ) : null}
      <h2 className="font-semibold text-base">{title}</h2>
      {children ? <div className="mt-1 max-w-md text-pretty text-muted text-sm">{children}</div> : null}
      {actions ? <div className="mt-5 flex flex-wrap justify-center gap-2">{actions}</div> : null}
    </div>
  );
}
