"use client";

import * as Radix from "@radix-ui/react-tabs";
import type { Route } from "next";
import Link from "next/link";
import type { ReactNode } from "react";
import { formatCount } from "#lib/platform/format.ts";
import { cn } from "./cn.ts";

const strip = "flex gap-4 overflow-x-auto border-b scroll-thin";
const tab =
  "focus-inset -mb-px inline-flex h-9 shrink-0 items-center gap-1.5 border-transparent border-b-2 px-0.5 font-medium text-muted text-sm hover:text-ink data-[state=active]:border-accent data-[state=active]:text-ink aria-[current=page]:border-accent aria-[current=page]:text-ink";

type Tab = {
  value: string;
  label: string;
  count?: number;
  icon?: ReactNode;
};

type TabsProps = {
  value: string;
  onValueChange: (value: string) => void;
  tabs: readonly Tab[];
  label: string;
  className?: string;
  /** One `TabPanel` for each tab. */
  children: ReactNode;
};

/** Views of one thing that switch in place. Use `TabLinks` for views with their own URL. */
export function Tabs({ value, onValueChange, tabs, label, className, children }: TabsProps) {
  return (
    <Radix.Root value={value} onValueChange={onValueChange} className={className}>
      <Radix.List aria-label={label} className={strip}>
        {tabs.map((each) => (
          <Radix.Trigger key={each.value} value={each.value} className={tab}>
            <Face {...each} />
          </Radix.Trigger>
        ))}
      </Radix.List>
      {children}
    </Radix.Root>
  );
}

export function TabPanel({ className, ...props }: Radix.TabsContentProps) {
  return <Radix.Content {...props} className={cn("pt-4", className)} />;
}

type TabLinksProps = {
  tabs: readonly (Omit<Tab, "value"> & { href: Route; current: boolean })[];
  label: string;
  className?: string;
};

export function TabLinks({ tabs, label, className }: TabLinksProps) {
  return (
    <nav aria-label={label} className={cn(strip, className)}>
      {tabs.map((each) => (
        <Link
          key={each.href}
          href={each.href}
          aria-current={each.current ? "page" : undefined}
          scroll={false}
          className={tab}
        >
          <Face {...each} />
        </Link>
      ))}
    </nav>
  );
}

function Face({ label, count, icon }: Omit<Tab, "value">) {
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
