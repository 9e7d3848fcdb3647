"use client";

import { useEffect, useState } from "react";
import { CodeBlock } from "#components/ui/display/code-block.tsx";
import { TabPanel, Tabs } from "#components/ui/tabs.tsx";
import { buildSnippets, type SnippetKind } from "./snippet-texts.ts";

type Props = {
  token: string | null;
  flagKey: string;
  kind: SnippetKind;
  /** URL of the API if it is not this Switchyard. */
  apiBase: string | null;
};

/** Code that evaluates a flag, with the project's token and this URL. */
export function Snippets({ token, flagKey, kind, apiBase }: Props) {
  const [tab, setTab] = useState("node");
  const [origin, setOrigin] = useState("https://switchyard.example.com");
  useEffect(() => setOrigin(window.location.origin), []);
  const snippets = buildSnippets({
    token: token ?? "<project token>",
    origin: apiBase ?? origin,
    key: flagKey,
    kind,
  });
  return (
    <Tabs
      label={kind === "person" ? "Ways to identify a person" : "SDKs that evaluate the flag"}
      value={tab}
      onValueChange={setTab}
      tabs={snippets.map(({ value, label }) => ({ value, label }))}
    >
      {snippets.map((snippet) => (
        <TabPanel key={snippet.value} value={snippet.value} className="pt-3">
          <CodeBlock code={snippet.code} label={`${snippet.label} example`} />
        </TabPanel>
      ))}
    </Tabs>
  );
}
