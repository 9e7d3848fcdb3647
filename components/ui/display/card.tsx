import type { ReactNode } from "react";
import { cn } from "#components/ui/cn.ts";

type CardProps = {
  title?: ReactNode;
  description?: ReactNode;
  /** At the right end of the title's line. */
  actions?: ReactNode;
  footer?: ReactNode;
  /** `false` for a table or list that reaches the edges. */
  padded?: boolean;
  /** The heading's level in the page. */
  level?: 2 | 3;
  id?: string;
  className?: string;
  children?: ReactNode;
};

/** A framed part of a page, with its own heading. */
export function Card({
  title,
  description,
  actions,
  footer,
  padded = true,
  level = 2,
  id,
  className,
  children,
}: CardProps) {
  const Heading = level === 2 ? "h2" : "h3";
  return (
    <section
      id={id}
      className={cn(
        "flex min-w-0 flex-col overflow-clip rounded-lg border bg-surface shadow-card",
        className,
      )}
    >
      {title ? (
        <div
          className={cn(
            "grid grid-cols-[minmax(0,1fr)_auto] grid-rows-[auto_1fr] gap-x-4 px-4 pt-3",
            !padded && "pb-3",
          )}
        >
          <Heading className="min-w-0 break-words font-semibold text-base">{title}</Heading>
          {description ? (
            <p className="col-span-2 row-start-2 text-pretty text-muted text-xs sm:col-span-1">
              {description}
            </p>
          ) : null}
          {actions ? (
            <div className="col-start-2 row-start-1 flex min-w-0 flex-wrap items-center justify-end gap-2 self-start sm:row-span-2">
              {actions}
            </div>
          ) : null}
        </div>
      ) : null}
      <div className={cn("min-w-0 flex-1", padded && "px-4 pt-3 pb-4")}>{children}</div>
      {footer ? (
        <div className="flex items-center justify-end gap-2 border-t bg-sunken px-4 py-2.5">{footer}</div>
      ) : null}
    </section>
  );
}

/** Facts as term and value, two columns where there is room. */
export function Facts({
  items,
  className,
}: {
  items: readonly { term: string; value: ReactNode }[];
  className?: string;
}) {
  return (
    <dl
      className={cn(
        "grid gap-x-6 gap-y-2.5 text-sm sm:grid-cols-[minmax(7rem,auto)_minmax(0,1fr)]",
        className,
      )}
    >
      {items.map((item) => (
        <div key={item.term} className="grid gap-x-6 sm:col-span-2 sm:grid-cols-subgrid sm:items-baseline">
          <dt className="text-faint text-xs">{item.term}</dt>
          <dd className="min-w-0">{item.value}</dd>
        </div>
      ))}
    </dl>
  );
}
