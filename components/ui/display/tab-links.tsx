import type { Route } from "next";
import type { ReactNode } from "react";
import { cn } from "#components/ui/cn.ts";
import { Link } from "#components/ui/link.tsx";
import { formatCount } from "#lib/platform/format.ts";

/** How tabs look, with their own URLs or without. */
export const TAB_STRIP = "flex gap-4 overflow-x-auto overflow-y-hidden border-b scroll-thin";
export const TAB =
  "focus-inset -mb-px inline-flex h-9 shrink-0 items-center gap-1.5 border-transparent border-b-2 px-0.5 font-medium text-muted text-sm hover:text-ink data-[state=active]:border-accent data-[state=active]:text-ink aria-[current=page]:border-accent aria-[current=page]:text-ink";

export type Tab = {
  value: string;
  label: string;
  count?: number;
  icon?: ReactNode;
};

type TabLinksProps = {
  tabs: readonly (Omit<Tab, "value"> & { href: Route; current: boolean })[];
  label: string;
  className?: string;
};

/** Views of one thing, each with its own URL. */
export function TabLinks({ tabs, label, className }: TabLinksProps) {
  return (
    <nav aria-label={label} className={cn(TAB_STRIP, className)}>
      {tabs.map((each) => (
        <Link
          key={each.href}
          href={each.href}
          aria-current={each.current ? "page" : undefined}
          scroll={false}
          className={TAB}
        >
          <TabFace {...each} />
        </Link>
      ))}
    </nav>
  );
}

/** What is on a tab. */
export function TabFace({ label, count, icon }: Omit<Tab, "value">) {
  return (
    <>
      {icon}
      {label}
      {count === undefined ? null : (
        <span className="tabular rounded-full bg-hover px-1.5 font-normal text-2xs text-muted">
          {formatCount(count)}
        </span>
      )}
    </>
  );
}
