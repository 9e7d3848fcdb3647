"use client";

import { useState } from "react";
import { CodeBlock } from "#components/ui/display/code-block.tsx";
import { TabPanel, Tabs } from "#components/ui/tabs.tsx";
import type { buildRemovals } from "./removal-snippets.ts";

/** How the flag goes from the code, by SDK. */
export function Removals({ removals }: { removals: ReturnType<typeof buildRemovals> }) {
  const [tab, setTab] = useState<string>(removals[0]?.value ?? "");
  return (
    <Tabs
      label="What to remove, by SDK"
      value={tab}
      onValueChange={setTab}
      tabs={removals.map(({ value, label }) => ({ value, label }))}
    >
      {removals.map(({ value, label, code }) => (
        <TabPanel key={value} value={value} className="pt-3">
          <CodeBlock code={code} label={`What to remove: ${label}`} />
        </TabPanel>
      ))}
    </Tabs>
  );
}
