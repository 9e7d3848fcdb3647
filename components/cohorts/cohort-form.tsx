"use client";

import type { Route } from "next";
import { useRouter } from "next/navigation";
import { useMemo, useState } from "react";
import type { CohortActions } from "#app/project/[project_id]/cohorts/cohort-actions.ts";
import { idsIn } from "#components/cohorts/pasted-ids.ts";
import { isComplete } from "#components/conditions/editor/property-kinds.ts";
import { attempt } from "#components/kit/action.ts";
import { changedFields, mergeChanges } from "#components/kit/editor/changes.ts";
import { DraftNote } from "#components/kit/editor/draft-note.tsx";
import type { PlacedProblem } from "#components/kit/editor/json.ts";
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
import type { Difference } from "#lib/flags/feature_flags/history/differences.ts";
import type { CohortRecord } from "#lib/people/cohorts/schema.ts";
import { definitionWords, filtersOfSets, setsOf } from "#lib/people/cohorts/words.ts";
import type { FlagProperty } from "#lib/people/conditions/filters-schema.ts";
import type { Names } from "#lib/people/conditions/words.ts";
import { plural } from "#lib/platform/format.ts";
import type { ErrorBody } from "#lib/platform/http/errors.ts";
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

type Draft = {
  name: string;
  description: string;
  kind: "properties" | "static";
  /** null: only the JSON shows this definition in full. */
  sets: FlagProperty[][] | null;
  json: string;
  ids: string;
};

type Problems = { name?: string; filters?: PlacedProblem; ids?: string; all?: string };

const NEW_SET: FlagProperty[] = [{ key: "", type: "person", operator: "exact", value: [] }];

const draftOf = (cohort: CohortRecord | null): Draft => ({
  name: cohort?.name ?? "",
  description: cohort?.description ?? "",
  kind: cohort?.is_static ? "static" : "properties",
  sets: cohort ? setsOf(cohort.filters) : [NEW_SET],
  json: JSON.stringify(cohort?.filters ?? {}, null, 2),
  ids: "",
});

/** The draft of a proposed change, or of a proposed cohort. */
function proposedDraft(cohort: CohortRecord | null, { body }: Revision): Draft {
  const { filters, is_static, distinct_ids } = body;
  if (cohort) return draftOf({ ...cohort, ...(body as Partial<CohortRecord>) });
  return {
    name: String(body.name ?? ""),
    description: String(body.description ?? ""),
    kind: is_static === true ? "static" : "properties",
    sets: filters ? setsOf(filters as CohortRecord["filters"]) : [NEW_SET],
    json: JSON.stringify(filters ?? {}, null, 2),
    ids: Array.isArray(distinct_ids) ? distinct_ids.join("\n") : "",
  };
}

/** An edit that was not saved, and what it began with. */
type KeptCohort = { draft: Draft; base: Draft };

const isDraft = (value: unknown): value is Draft =>
  typeof value === "object" && value !== null && Object.keys(draftOf(null)).every((field) => field in value);

function readKept(stored: unknown): KeptCohort | null {
  const { draft, base } = (stored ?? {}) as Partial<KeptCohort>;
  return isDraft(draft) && isDraft(base) ? { draft, base } : null;
}

const PARTS: Partial<Record<keyof Draft, string>> = {
  name: "name",
  description: "description",
  sets: "definition",
  json: "definition",
};

/** The parts of a cohort that a kept edit and somebody else have both changed. */
function changedByBoth(kept: KeptCohort, current: Draft): string[] {
  const theirs = new Set(changedFields(kept.base, current));
  const both = changedFields(kept.base, kept.draft).filter((field) => theirs.has(field));
  return [...new Set(both.flatMap((field) => PARTS[field] ?? []))];
}

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

  function put(change: Partial<Draft>) {
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

type KindProps = { value: Draft["kind"]; onValueChange: (kind: Draft["kind"]) => void };

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

const filtersOf = (draft: Draft): Record<string, unknown> =>
  draft.sets ? filtersOfSets(draft.sets) : JSON.parse(draft.json);

/** What a save sends. A list of people is given once, when it is created. */
const bodyOf = (draft: Draft, { ids, isNew }: { ids: readonly string[]; isNew: boolean }) => ({
  name: draft.name,
  description: draft.description,
  ...(draft.kind === "properties" ? { filters: filtersOf(draft) } : {}),
  ...(draft.kind === "static" && isNew ? { is_static: true, distinct_ids: [...ids] } : {}),
});

/** What differs from what is stored, in words. */
function differencesOf(base: Draft, draft: Draft, ids: readonly string[], names: Names): Difference[] {
  const words = (of: Draft) =>
    of.kind === "static"
      ? null
      : (definitionWords(of.sets || of.json !== "" ? filtersOf(of) : {}, names) ?? null);
  const both = [
    { what: "Name", before: base.name || null, after: draft.name || null },
    { what: "Description", before: base.description || null, after: draft.description || null },
    { what: "Definition", before: base.name === "" ? null : words(base), after: words(draft) },
    { what: "People", before: null, after: ids.length > 0 ? plural(ids.length, "id") : null },
  ];
  return both.filter(({ before, after }) => before !== after);
}

function problemsIn(draft: Draft): Problems {
  const problems: Problems = {};
  if (!draft.name.trim()) problems.name = "Give the cohort a name.";
  if (draft.kind === "static") return problems;
  if (draft.sets) {
    draft.sets.forEach((rows, set) => {
      const row = rows.findIndex((each) => !isComplete(each));
      if (problems.filters) return;
      if (rows.length === 0) problems.filters = { path: [set], message: "A set needs at least one row." };
      else if (row >= 0) problems.filters = { path: [set, row], message: "Complete this row." };
    });
    return problems;
  }
  try {
    JSON.parse(draft.json);
  } catch (error) {
    problems.filters = {
      path: [],
      message: `Not valid JSON: ${error instanceof Error ? error.message : ""}`,
    };
  }
  return problems;
}

/** The API's error at the field that caused it; its path within filters is properties, values, set, values, row. */
function problemsOf(error: ErrorBody, draft: Draft): Problems {
  const field = error.attr?.split("__")[0];
  if (field === "name") return { name: error.detail };
  if (field === "distinct_ids") return { ids: error.detail };
  if (field !== "filters") return { all: error.detail };
  const path = error.extra?.path ?? [];
  if (!draft.sets) return { filters: { path, message: error.detail } };
  const [, , set, , row] = path[0] === "filters" ? path.slice(1) : path;
  return {
    filters: {
      path: [set, row].filter((part): part is number => typeof part === "number"),
      message: error.detail,
    },
  };
}
