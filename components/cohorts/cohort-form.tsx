"use client";

import type { Route } from "next";
import { useRouter } from "next/navigation";
import { useMemo, useState } from "react";
import type { CohortActions } from "#app/project/[project_id]/cohorts/cohort-actions.ts";
import { idsIn } from "#components/cohorts/pasted-ids.ts";
import { attempt } from "#components/kit/action.ts";
import { mergeChanges } from "#components/kit/editor/changes.ts";
import { DraftNote } from "#components/kit/editor/draft-note.tsx";
import { useKeptDraft } from "#components/kit/editor/use-kept-draft.ts";
import { heldRequest } from "#components/kit/held.ts";
import { ProposeButton } from "#components/kit/propose/propose-button.tsx";
import type { Revision } from "#components/kit/propose/revision.ts";
import { later } from "#components/ui/after-page.ts";
import { Button, ButtonLink } from "#components/ui/button.tsx";
import { Callout } from "#components/ui/display/callout.tsx";
import { Field } from "#components/ui/form/field.tsx";
import { Input } from "#components/ui/form/input.tsx";
import { RadioCards } from "#components/ui/form/radio-cards.tsx";
import { Textarea } from "#components/ui/form/textarea.tsx";
import { toast } from "#components/ui/overlay/toaster.tsx";
import type { CohortRecord } from "#lib/people/cohorts/schema.ts";
import type { Names } from "#lib/people/conditions/words.ts";
import { plural } from "#lib/platform/format.ts";
import {
  bodyOf,
  type CohortDraft,
  changedByBoth,
  differencesOf,
  draftOf,
  type KeptCohort,
  type Problems,
  problemsIn,
  problemsOf,
  proposedDraft,
  readKept,
} from "./cohort-draft.ts";
import { DefinitionField } from "./definition-field.tsx";

const ProposeDialog = later(
  async () => (await import("#components/kit/propose/propose-dialog.tsx")).ProposeDialog,
);

type Props = {
  projectId: string;
  /** null for a new one. */
  cohort: CohortRecord | null;
  names: Names;
  actions: CohortActions;
  /** A proposed change that is opened again; its fields are in the form. */
  revision?: Revision | undefined;
};

/** Form for a new or existing cohort: name and members. */
export function CohortForm({ projectId, cohort, names, actions, revision }: Props) {
  const router = useRouter();
  const [base] = useState(() => draftOf(cohort));
  const [draft, setDraft] = useState(() => (revision ? proposedDraft(cohort, revision) : base));
  const [proposing, setProposing] = useState(false);
  const [taken, setTaken] = useState(0);
  const [problems, setProblems] = useState<Problems>({});
  const [saving, setSaving] = useState(false);
  const [dirty, setDirty] = useState(revision !== undefined);
  const { offer, leave } = useKeptDraft<KeptCohort>({
    record: `project/${projectId}/cohorts/${cohort?.id ?? "new"}${revision ? `/${revision.id}` : ""}`,
    value: useMemo(() => ({ draft, base }), [draft, base]),
    dirty,
    read: readKept,
    onTake(kept) {
      // What somebody else has changed since stays, where it is not the same.
      put(mergeChanges(kept.base, base, kept.draft));
      setTaken((times) => times + 1);
    },
  });
  const both = offer ? changedByBoth(offer.value, base) : [];
  const ids = idsIn(draft.ids);
  const root = `/api/projects/${projectId}/cohorts/`;
  const body = () => bodyOf(draft, { ids, isNew: cohort === null });

  function put(change: Partial<CohortDraft>) {
    setDraft((before) => ({ ...before, ...change }));
    setDirty(true);
  }
  /** Whether what is wrong can be seen before it is sent; it is shown. */
  function isComplete(): boolean {
    const found = problemsIn(draft);
    setProblems(found);
    return Object.keys(found).length === 0;
  }
  const propose = () => isComplete() && setProposing(true);
  async function save() {
    if (revision) return void propose();
    if (!isComplete()) return;
    setSaving(true);
    const { name } = draft;
    const result = await attempt(() =>
      cohort ? actions.update(projectId, cohort.id, body()) : actions.create(projectId, body()),
    );
    setSaving(false);
    // What was edited is in a change request then.
    if (heldRequest(result) !== null) return leave();
    if (!result.ok) return setProblems(problemsOf(result.error, draft));
    leave();
    toast.success(cohort ? `${name} was updated` : `${name} was created`);
    router.push(`/project/${projectId}/cohorts/${result.data.id}` as Route);
  }
  return (
    <form
      noValidate
      className="flex flex-col gap-5"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <DraftNote offer={offer}>
        {both.length > 0
          ? `The cohort was changed since. Restoring replaces its new ${both.join(" and ")} with yours.`
          : null}
      </DraftNote>
      {problems.all ? (
        <Callout tone="danger" live>
          {problems.all}
        </Callout>
      ) : null}
      <Field label="Name" required error={problems.name}>
        <Input
          autoComplete="off"
          maxLength={400}
          placeholder="Paying teams in Europe"
          value={draft.name}
          onChange={(event) => put({ name: event.target.value })}
        />
      </Field>
      <Field label="Description" optional>
        <Textarea
          rows={2}
          value={draft.description}
          onChange={(event) => put({ description: event.target.value })}
        />
      </Field>
      {cohort ? null : <KindField value={draft.kind} onValueChange={(kind) => put({ kind })} />}
      {draft.kind === "properties" ? (
        <DefinitionField
          key={taken}
          projectId={projectId}
          sets={draft.sets}
          json={draft.json}
          names={names}
          problem={problems.filters ?? null}
          onSetsChange={(sets) => put({ sets })}
          onJsonChange={(json) => put({ json })}
        />
      ) : null}
      {draft.kind === "static" && !cohort ? (
        <Field
          label="Distinct ids"
          description="One per line, or separated by commas. You can add people later."
          error={problems.ids}
          hint={plural(ids.length, "id")}
        >
          <Textarea
            mono
            rows={6}
            spellCheck={false}
            placeholder={"user-1042\nada@example.com"}
            value={draft.ids}
            onChange={(event) => put({ ids: event.target.value })}
          />
        </Field>
      ) : null}
      <div className="flex gap-2">
        <Button type="submit" variant="primary" loading={saving}>
          {revision ? "Revise request…" : cohort ? "Save changes" : "Create cohort"}
        </Button>
        {dirty && !revision ? <ProposeButton onClick={propose} /> : null}
        <ButtonLink
          variant="ghost"
          href={`/project/${projectId}/cohorts${cohort ? `/${cohort.id}` : ""}` as Route}
        >
          Cancel
        </ButtonLink>
      </div>
      {proposing ? (
        <ProposeDialog
          projectId={projectId}
          title={cohort ? `change ${cohort.name}` : `create ${draft.name}`}
          differences={differencesOf(base, draft, ids, names)}
          changes={() => [
            cohort
              ? { method: "PATCH", path: `${root}${cohort.id}/`, body: body() }
              : { method: "POST", path: root, body: body() },
          ]}
          revision={revision}
          actions={actions}
          onClose={() => setProposing(false)}
          onProposed={leave}
        />
      ) : null}
    </form>
  );
}

type KindProps = { value: CohortDraft["kind"]; onValueChange: (kind: CohortDraft["kind"]) => void };

function KindField({ value, onValueChange }: KindProps) {
  return (
    <Field label="Membership" as="group">
      <RadioCards
        columns={2}
        value={value}
        onValueChange={onValueChange}
        options={[
          {
            value: "properties",
            label: "People who match",
            description: "By properties and other cohorts. Membership updates automatically.",
          },
          {
            value: "static",
            label: "A list of people",
            description: "Listed by id. Nobody joins or leaves automatically.",
          },
        ]}
      />
    </Field>
  );
}
