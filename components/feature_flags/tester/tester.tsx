"use client";

import { useEffect, useMemo, useRef, useState } from "react";
import type { FlagActions } from "#app/project/[project_id]/feature_flags/flag-actions.ts";
import type { Example } from "#components/conditions/editor/filters-context.tsx";
import { EvaluationResult } from "#components/conditions/evaluation-result.tsx";
import { bodyOf, type FlagBody, formOf, sentDraftOf } from "#components/feature_flags/form-values.ts";
import type { Access } from "#components/kit/access.tsx";
import { Card } from "#components/ui/display/card.tsx";
import { Field } from "#components/ui/form/field.tsx";
import { Input } from "#components/ui/form/input.tsx";
import { Segmented } from "#components/ui/form/segmented.tsx";
import type { EvaluateRequest } from "#lib/flags/feature_flags/evaluation/evaluate-contract.ts";
import type { FlagRecord } from "#lib/flags/feature_flags/schema.ts";
import type { Names } from "#lib/people/conditions/words.ts";
import { SaveTestCase, TestCases } from "./pinned-cases.tsx";
import { type Subject, SubjectFields, subjectOf } from "./subject-fields.tsx";
import { useEvaluation } from "./use-evaluation.ts";

type Props = {
  projectId: string;
  flag: FlagRecord | null;
  body: FlagBody;
  dirty: boolean;
  names: Names;
  access: Access;
  actions: FlagActions;
  /** Who is tested first. */
  example?: Example | undefined;
};

const VERSIONS = [
  { value: "draft", label: "Unsaved draft" },
  { value: "saved", label: "Saved version" },
] as const;

type Version = (typeof VERSIONS)[number]["value"];
/** What one person or group gets and why: from the draft in the form, or from the flag as it is saved. */
export function TestPanel({ projectId, flag, body, dirty, names, access, actions, example }: Props) {
  const [chosen, setChosen] = useState<Version>("draft");
  const [subject, setSubject] = useState<Subject | undefined>(example && subjectOf(example, body));
  const card = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (example) card.current?.scrollIntoView({ block: "nearest" });
  }, [example]);
  const version = flag === null ? "draft" : dirty ? chosen : "saved";
  const active = flag ? flag.active : body.active === true;
  const [past, setPast] = useState("");
  const at = version === "saved" && past ? momentOf(past) : undefined;
  const isDescribed =
    subject?.use_stored === false && subject.distinct_id !== undefined && !subject.group_properties;
  return (
    <Card title="Test" description="See what one person or group gets, and why.">
      <div ref={card} className="flex scroll-mt-4 flex-col gap-3">
        {flag && dirty ? (
          <Segmented
            size="sm"
            label="Version to test"
            value={chosen}
            onValueChange={setChosen}
            options={VERSIONS}
          />
        ) : null}
        {version === "saved" ? (
          <AtField
            value={past}
            onValueChange={(next) => {
              setPast(next);
              setSubject(undefined);
            }}
          />
        ) : null}
        <SubjectFields
          projectId={projectId}
          filters={version === "saved" && flag ? flag.filters : body.filters}
          example={example}
          onTest={setSubject}
          onChange={() => setSubject(undefined)}
        />
        <div aria-live="polite" className="flex flex-col gap-2 empty:hidden">
          {subject ? (
            <Tested
              projectId={projectId}
              request={{
                ...subject,
                id: flag?.id ?? null,
                ...(at !== undefined && { at }),
                ...(version === "draft" && { draft: sentDraftOf(body, active, flag) }),
              }}
              version={versionName(flag, version, at)}
              names={names}
              keep={
                flag && access.may_write && isDescribed && at === undefined
                  ? { projectId, flagId: flag.id, actions }
                  : undefined
              }
            />
          ) : null}
        </div>
        {flag ? (
          <TestCases
            projectId={projectId}
            flagId={flag.id}
            proposed={{ active: flag.active, filters: body.filters }}
            access={access}
            actions={actions}
          />
        ) : null}
      </div>
    </Card>
  );
}

type SavedProps = Omit<Props, "flag" | "body" | "dirty"> & { flag: FlagRecord };

/** The same for a flag that is not being edited. */
export function SavedTester(props: SavedProps) {
  const body = useMemo(() => bodyOf(formOf(props.flag)), [props.flag]);
  return <TestPanel {...props} body={body} dirty={false} />;
}

/** What was tested, in words. */
function versionName(flag: FlagRecord | null, version: Version, at: string | undefined): string {
  if (flag === null) return "Not saved yet";
  if (at !== undefined) return "Past version";
  return VERSIONS.find(({ value }) => value === version)?.label ?? "";
}

/** A moment that a date field says in the browser's time zone; undefined while it is not complete. */
function momentOf(local: string): string | undefined {
  const date = new Date(local);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

const WHEN = [
  { value: "now", label: "Now" },
  { value: "past", label: "A past moment" },
] as const;

/** Tests the version that was stored at a past moment. */
function AtField({ value, onValueChange }: { value: string; onValueChange: (local: string) => void }) {
  const [when, setWhen] = useState<(typeof WHEN)[number]["value"]>("now");
  return (
    <>
      <Segmented
        size="sm"
        label="At"
        value={when}
        onValueChange={(next) => {
          setWhen(next);
          onValueChange("");
        }}
        options={WHEN}
      />
      {when === "past" ? (
        <Field
          label="Moment"
          description="The version stored then, with properties, groups and cohorts as they are now."
        >
          <Input
            type="datetime-local"
            step={1}
            value={value}
            onChange={(event) => onValueChange(event.target.value)}
          />
        </Field>
      ) : null}
    </>
  );
}

type TestedProps = {
  projectId: string;
  request: EvaluateRequest;
  version: string;
  names: Names;
  /** Where the outcome can be saved as a test case. */
  keep: { projectId: string; flagId: number; actions: FlagActions } | undefined;
};

function Tested({ projectId, request, version, names, keep }: TestedProps) {
  const evaluation = useEvaluation(projectId, request);
  const { distinct_id = "", person_properties = {}, groups = {} } = request;
  return (
    <>
      <EvaluationResult
        evaluation={evaluation}
        version={version}
        names={names}
        isDescribed={request.use_stored === false}
      />
      {request.at && evaluation.state === "evaluated" ? (
        <p className="text-muted text-xs">
          Version {evaluation.found.version} was stored then. Everything else is as it is now.
        </p>
      ) : null}
      {keep && evaluation.state === "evaluated" ? (
        <SaveTestCase
          key={JSON.stringify([distinct_id, person_properties, groups])}
          {...keep}
          person={{ distinct_id, person_properties, groups }}
          value={evaluation.found.value}
        />
      ) : null}
    </>
  );
}
