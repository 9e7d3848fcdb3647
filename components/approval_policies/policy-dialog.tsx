"use client";

import { useState } from "react";
import type { PolicyActions } from "#app/project/[project_id]/settings/approvals/policy-actions.ts";
import { attempt } from "#components/kit/action.ts";
import {
  type PlacedProblem,
  parseJson,
  placedIssue,
  problemText,
  suggestKeys,
} from "#components/kit/editor/json.ts";
import { JsonView } from "#components/kit/editor/json-view.tsx";
import { useGuardedClose, useUnsavedGuard } from "#components/kit/editor/unsaved-guard.tsx";
import { Button } from "#components/ui/button.tsx";
import { FieldError } from "#components/ui/form/field.tsx";
import { Dialog } from "#components/ui/overlay/dialog.tsx";
import { DialogClose } from "#components/ui/overlay/dialog-close.tsx";
import { toast } from "#components/ui/overlay/toaster.tsx";
import { TabPanel, Tabs } from "#components/ui/tabs.tsx";
import { policyInWords, policyOf, policyWarnings } from "#lib/approvals/approval_policies/requirements.ts";
import {
  impactConditions,
  type PolicyRecord,
  policyCreate,
} from "#lib/approvals/approval_policies/schema.ts";
import { bodyOf, NEW_POLICY, type PolicyBody } from "./policy-body.ts";
import { PolicyFields, PolicyWarnings } from "./policy-fields.tsx";

export type PolicyDialogProps = {
  projectId: string;
  /** null: a new one. */
  policy: PolicyRecord | null;
  members: readonly { id: number; name: string }[] | null;
  timezone: string;
  actions: PolicyActions;
  onClose: () => void;
};

const TABS = [
  { value: "form", label: "Form" },
  { value: "json", label: "JSON" },
] as const;

const KEYS = {
  "": suggestKeys(policyCreate.shape),
  conditions: suggestKeys(impactConditions.shape),
};

/** What is wrong with a policy, or null. */
function findProblem(body: unknown): PlacedProblem | null {
  const issue = policyCreate.safeParse(body).error?.issues[0];
  return issue ? placedIssue(issue) : null;
}

/** Creates or edits a policy, as a form or as JSON, and says in words what it asks for. */
export function PolicyDialog({ projectId, policy, members, timezone, actions, onClose }: PolicyDialogProps) {
  const [initial] = useState(() => (policy ? bodyOf(policy) : NEW_POLICY));
  const [body, setBody] = useState(initial);
  const [tab, setTab] = useState<string>("form");
  const [unreadable, setUnreadable] = useState(false);
  const [refusal, setRefusal] = useState<string>();
  const [saving, setSaving] = useState(false);
  const release = useUnsavedGuard(body !== initial || unreadable);
  const close = useGuardedClose(onClose);
  // Where members cannot be read, their numbers have to do.
  const named = members ?? (body.approver_config?.users ?? []).map((id) => ({ id, name: `person ${id}` }));
  const problem = findProblem(body);
  const parsed = policyCreate.safeParse(body).data;
  const users = new Map(named.map(({ id, name }) => [id, name]));

  const warnings = parsed ? policyWarnings(policyOf(parsed), { users }) : [];

  function change(next: PolicyBody) {
    setBody(next);
    setRefusal(undefined);
  }
  function applyText(text: string): PlacedProblem | null {
    const read = parseJson(text);
    const found = read.problem ?? findProblem(read.json);
    setUnreadable(found !== null);
    if (!read.problem && !found) change(read.json as PolicyBody);
    return found;
  }
  async function save() {
    if (unreadable || problem) return;
    setSaving(true);
    const result = await attempt(() =>
      policy ? actions.replace(projectId, policy.id, body) : actions.create(projectId, body),
    );
    setSaving(false);
    if (!result.ok) return setRefusal(result.error.detail);
    const done = policy ? "The policy was changed" : "The policy was added";
    const [warning] = result.data.warnings;
    if (warning === undefined) toast.success(done);
    else toast.warning(done, { description: warning });
    release();
    onClose();
  }
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && close()}
      size="lg"
      title={policy ? "Edit policy" : "New policy"}
      description="Which changes have to be approved before they take effect, and by whom."
      aside={
        <FieldError>{refusal ?? (problem && tab === "form" ? problemText(problem) : undefined)}</FieldError>
      }
      footer={
        <>
          <DialogClose>
            <Button>Cancel</Button>
          </DialogClose>
          <Button variant="primary" loading={saving} disabled={unreadable || problem !== null} onClick={save}>
            {policy ? "Save policy" : "Add policy"}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <p
          role="status"
          aria-label="In words"
          className="text-pretty rounded-lg border bg-sunken px-3 py-2.5 text-sm"
        >
          {parsed ? policyInWords(policyOf(parsed), { users }) : "Complete it to see it in words."}
        </p>
        <Tabs
          label="Policy as"
          tabs={TABS}
          value={tab}
          onValueChange={(next) => {
            if (next === "form" && unreadable)
              toast.error("Fix the JSON first, so that nothing is lost.", { id: "json" });
            else setTab(next);
          }}
        >
          <TabPanel value="form">
            <PolicyFields
              body={body}
              onChange={change}
              members={members}
              timezone={timezone}
              warnings={warnings}
            />
          </TabPanel>
          <TabPanel value="json">
            <PolicyWarnings warnings={warnings} />
            <JsonView
              label="Policy as JSON"
              description="As the API accepts it."
              initial={() => JSON.stringify(body, null, 2)}
              onText={applyText}
              problem={null}
              minLines={16}
              complete={(path, kind) =>
                kind === "key" ? (KEYS[path.join("/") as keyof typeof KEYS] ?? []) : []
              }
            />
          </TabPanel>
        </Tabs>
      </div>
    </Dialog>
  );
}
