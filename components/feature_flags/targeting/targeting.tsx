"use client";

import { useState } from "react";
import { useWatch } from "react-hook-form";
import { useFilters } from "#components/conditions/editor/filters-context.tsx";
import { SetsEditor } from "#components/conditions/editor/sets-editor.tsx";
import { Warnings } from "#components/conditions/editor/warning-text.tsx";
import type { FlagForm } from "#components/feature_flags/form-values.ts";
import { Card } from "#components/ui/display/card.tsx";
import { FieldError } from "#components/ui/form/field.tsx";
import { toast } from "#components/ui/overlay/toaster.tsx";
import { TabPanel, Tabs } from "#components/ui/tabs.tsx";
import { JsonTab } from "./json-tab.tsx";
import { PayloadField } from "./payload-field.tsx";
import { VariantsEditor } from "./variants-editor.tsx";

const TABS = [
  { value: "form", label: "Form" },
  { value: "json", label: "JSON" },
] as const;

/** The targeting of a flag: as a form, or as the JSON that the API stores. */
export function Targeting({ onReadable }: { onReadable: (readable: boolean) => void }) {
  const { readOnly } = useFilters();
  const [tab, setTab] = useState<string>("form");
  const [readable, setReadable] = useState(true);
  return (
    <Tabs
      label="Targeting as"
      tabs={TABS}
      value={tab}
      onValueChange={(next) => {
        if (next === "form" && !readable)
          toast.error("Fix the JSON first, so that nothing is lost.", { id: "json" });
        else setTab(next);
      }}
    >
      <TabPanel value="form">
        <fieldset disabled={readOnly} aria-label="Targeting" className="flex min-w-0 flex-col gap-5">
          <FormTab />
        </fieldset>
      </TabPanel>
      <TabPanel value="json">
        <Card>
          <JsonTab
            onReadable={(is) => {
              setReadable(is);
              onReadable(is);
            }}
          />
        </Card>
      </TabPanel>
    </Tabs>
  );
}

function FormTab() {
  const { draft, warnings, problem } = useFilters();
  const remote = useWatch<FlagForm, "is_remote_configuration">({ name: "is_remote_configuration" });
  const payload = (
    <Card
      key={String(remote)}
      title="Payload"
      description={
        remote ? "JSON that your code reads." : "JSON delivered when the flag is on. Most flags need none."
      }
    >
      <PayloadField uid={null} name="" payload={draft.payload} open={remote} />
    </Card>
  );
  const overall = warnings.filter((warning) => warning.set === null);
  return (
    <>
      {draft.multivariate ? (
        <Card title="Variants" description="Everyone in the rollout gets one of these and keeps it.">
          <VariantsEditor />
        </Card>
      ) : null}
      {draft.multivariate || !remote ? null : payload}
      <Card title="Release conditions" description="Who gets it.">
        <SetsEditor />
      </Card>
      {draft.multivariate || remote ? null : payload}
      <Warnings warnings={overall} />
      {problem && !hasPlace(problem.path) ? <FieldError>{problem.message}</FieldError> : null}
    </>
  );
}

/** Whether the form has a place of its own for a problem at this path. */
const hasPlace = (path: readonly (string | number)[]) =>
  path[0] === "groups" || path[0] === "multivariate" || (path[0] === "payloads" && path.length > 1);
