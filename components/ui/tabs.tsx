"use client";

import * as Radix from "@radix-ui/react-tabs";
import type { ReactNode } from "react";
import { cn } from "./cn.ts";
import { TAB, TAB_STRIP, type Tab, TabFace } from "./tab-links.tsx";

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
      <Radix.List aria-label={label} className={TAB_STRIP}>
        {tabs.map((each) => (
          <Radix.Trigger key={each.value} value={each.value} className={TAB}>
            <TabFace {...each} />
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
