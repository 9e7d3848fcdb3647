"use client";

import { Ellipsis, Pencil, Plus, ShieldCheck, Trash2, TriangleAlert } from "lucide-react";
import { useState } from "react";
import type { PolicyActions } from "#app/project/[project_id]/settings/approvals/policy-actions.ts";
import { type Access, Permit, refused } from "#components/kit/access.tsx";
import { findProblem } from "#components/kit/action.ts";
import { personName } from "#components/kit/person-name.ts";
import { later } from "#components/ui/after-page.ts";
import { Button } from "#components/ui/button.tsx";
import { cn } from "#components/ui/cn.ts";
import { ConfirmDialog } from "#components/ui/confirm-dialog.tsx";
import { Card } from "#components/ui/display/card.tsx";
import { EmptyState } from "#components/ui/display/empty-state.tsx";
import { RelativeTime } from "#components/ui/display/relative-time.tsx";
import { Switch } from "#components/ui/form/switch.tsx";
import { IconButton } from "#components/ui/icon-button.tsx";
import { Menu, MenuItem, MenuSeparator } from "#components/ui/overlay/menu.tsx";
import { toast } from "#components/ui/overlay/toaster.tsx";
import type { PolicyRecord } from "#lib/approvals/approval_policies/schema.ts";
import { bodyOf, type PolicyBody } from "./policy-body.ts";
import type { PolicyDialogProps } from "./policy-dialog.tsx";

const PolicyDialog = later<PolicyDialogProps>(async () => (await import("./policy-dialog.tsx")).PolicyDialog);

/** A policy to start from, in words. */
type OfferedTemplate = { title: string; words: string; body: PolicyBody };

type Props = {
  projectId: string;
  policies: readonly PolicyRecord[];
  templates: readonly OfferedTemplate[];
  /** Who may approve; null where the key cannot read it. */
  members: readonly { id: number; name: string }[] | null;
  timezone: string;
  access: Access;
  actions: PolicyActions;
};

type Asked = { action: "edit"; policy: PolicyRecord | null } | { action: "delete"; policy: PolicyRecord };

/** The policies of a project in words, and what can be done with them. */
export function PolicyList({ policies, templates, access, ...common }: Props) {
  const [asked, setAsked] = useState<Asked>();
  const close = () => setAsked(undefined);
  const newPolicy = (
    <Permit access={access}>
      <Button
        size={policies.length > 0 ? "sm" : "md"}
        variant="primary"
        icon={Plus}
        {...refused(access)}
        onClick={() => access.may_write && setAsked({ action: "edit", policy: null })}
      >
        New policy
      </Button>
    </Permit>
  );
  return (
    <div className="flex flex-col gap-5">
      {policies.length === 0 ? (
        <EmptyState icon={ShieldCheck} title="Every change takes effect at once" actions={newPolicy}>
          A policy says which changes somebody else has to approve first, by what they would do.
        </EmptyState>
      ) : (
        <Card
          title="Policies"
          description="A change has to satisfy every policy that applies to it."
          actions={newPolicy}
          padded={false}
        >
          <ul aria-label="Policies" className="divide-y border-t">
            {policies.map((policy) => (
              <PolicyRow key={policy.id} {...common} policy={policy} access={access} onAsk={setAsked} />
            ))}
          </ul>
        </Card>
      )}
      {templates.length > 0 ? <Templates {...common} templates={templates} access={access} /> : null}
      {asked?.action === "edit" ? <PolicyDialog {...common} policy={asked.policy} onClose={close} /> : null}
      {asked?.action === "delete" ? <DeleteDialog {...common} policy={asked.policy} onClose={close} /> : null}
    </div>
  );
}

type Common = { projectId: string; actions: PolicyActions };
type RowProps = Common & { policy: PolicyRecord; access: Access; onAsk: (asked: Asked) => void };

function PolicyRow({ projectId, actions, policy, access, onAsk }: RowProps) {
  const { id, in_words, warnings, enabled, created_by, created_at } = policy;
  const [saving, setSaving] = useState(false);
  const author = personName(created_by);

  async function enable(next: boolean) {
    if (!access.may_write) return;
    setSaving(true);
    const problem = await findProblem(() => actions.update(projectId, id, { enabled: next }));
    setSaving(false);
    if (problem) return toast.error(problem);
    toast.withUndo(next ? "The policy is on" : "The policy is off", () =>
      findProblem(() => actions.update(projectId, id, { enabled: !next })),
    );
  }
  return (
    <li className="flex items-start gap-3 px-4 py-3">
      <Permit access={access}>
        <Switch
          label={`In use: ${in_words}`}
          checked={enabled}
          pending={saving}
          onCheckedChange={enable}
          className="mt-0.5"
          {...refused(access)}
        />
      </Permit>
      <div className="min-w-0 flex-1">
        <p className={cn("text-pretty break-words text-sm", enabled ? "text-ink" : "text-muted")}>
          {in_words}
        </p>
        {warnings.map((warning) => (
          <p key={warning} className="mt-1 flex items-start gap-1.5 text-warning-text text-xs">
            <TriangleAlert aria-hidden="true" className="mt-0.5 size-3.5 shrink-0" />
            <span className="min-w-0 text-pretty">{warning}</span>
          </p>
        ))}
        <p className="mt-0.5 text-faint text-xs">
          {enabled ? "" : "Off · "}
          Added {author ? `by ${author} ` : ""}
          <RelativeTime date={created_at} />
        </p>
      </div>
      {access.may_write ? (
        <Menu trigger={<IconButton icon={Ellipsis} label={`Actions on: ${in_words}`} size="sm" />}>
          <MenuItem icon={Pencil} onSelect={() => onAsk({ action: "edit", policy })}>
            Edit…
          </MenuItem>
          <MenuSeparator />
          <MenuItem icon={Trash2} danger onSelect={() => onAsk({ action: "delete", policy })}>
            Delete…
          </MenuItem>
        </Menu>
      ) : null}
    </li>
  );
}

function DeleteDialog({
  projectId,
  actions,
  policy,
  onClose,
}: Common & { policy: PolicyRecord; onClose: () => void }) {
  async function remove(): Promise<string | undefined> {
    const problem = await findProblem(() => actions.remove(projectId, policy.id));
    if (problem) return problem;
    toast.withUndo("The policy was deleted", () =>
      findProblem(() => actions.create(projectId, bodyOf(policy))),
    );
    return undefined;
  }
  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="Delete this policy?"
      description="It no longer applies to new changes."
      confirmLabel="Delete policy"
      danger
      onConfirm={remove}
    >
      <p className="text-pretty break-words text-sm">{policy.in_words}</p>
    </ConfirmDialog>
  );
}

type TemplatesProps = Common & { templates: readonly OfferedTemplate[]; access: Access };

function Templates({ projectId, actions, templates, access }: TemplatesProps) {
  const [adding, setAdding] = useState<readonly string[]>([]);

  async function add({ title, body }: OfferedTemplate) {
    if (!access.may_write || adding.includes(title)) return;
    setAdding((before) => [...before, title]);
    const problem = await findProblem(() => actions.create(projectId, body));
    setAdding((before) => before.filter((each) => each !== title));
    if (problem) toast.error(problem);
    else toast.success(`Added: ${title}`);
  }
  return (
    <Card title="Templates" description="One click adds one; it can be edited afterwards." padded={false}>
      <ul aria-label="Templates" className="divide-y border-t">
        {templates.map((template) => (
          <li key={template.title} className="flex items-center gap-3 px-4 py-2.5">
            <div className="min-w-0 flex-1">
              <p className="font-medium text-sm">{template.title}</p>
              <p className="text-pretty text-muted text-xs">{template.words}</p>
            </div>
            <Permit access={access}>
              <Button
                size="sm"
                icon={Plus}
                loading={adding.includes(template.title)}
                {...refused(access)}
                onClick={() => add(template)}
              >
                Add
                <span className="sr-only"> {template.title}</span>
              </Button>
            </Permit>
          </li>
        ))}
      </ul>
    </Card>
  );
}
