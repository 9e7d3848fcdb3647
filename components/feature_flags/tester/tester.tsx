"use client";

import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from "react";
import type { FlagActions } from "#app/project/[project_id]/feature_flags/flag-actions.ts";
import type { Example } from "#components/conditions/editor/filters-context.tsx";
import { EvaluationResult } from "#components/conditions/evaluation-result.tsx";
import { bodyOf, type FlagBody, formOf, sentDraftOf } from "#components/feature_flags/form-values.ts";
import { jsonProblem } from "#components/feature_flags/targeting/payload-field.tsx";
import type { Access } from "#components/kit/access.tsx";
import { Button } from "#components/ui/button.tsx";
import { Card } from "#components/ui/display/card.tsx";
import { Field } from "#components/ui/form/field.tsx";
import { Input } from "#components/ui/form/input.tsx";
import { JsonEditor } from "#components/ui/form/json/json-editor.tsx";
import { Segmented } from "#components/ui/form/segmented.tsx";
import type { EvaluateRequest } from "#lib/flags/feature_flags/evaluation/evaluate-contract.ts";
import type { FlagRecord } from "#lib/flags/feature_flags/schema.ts";
import type { Names } from "#lib/people/conditions/words.ts";
import { GroupField, groupTypesIn, useGroupTypes } from "./group-field.tsx";
import { SaveTestCase, TestCases } from "./pinned-cases.tsx";
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

const WHO = [
  { value: "described", label: "Described person" },
  { value: "stored", label: "Stored person" },
] as const;

const VERSIONS = [
  { value: "draft", label: "Unsaved draft" },
  { value: "saved", label: "Saved version" },
] as const;

type Who = (typeof WHO)[number]["value"];
type Version = (typeof VERSIONS)[number]["value"];
type Subject = Pick<
  EvaluateRequest,
  "distinct_id" | "person_properties" | "groups" | "group_properties" | "use_stored"
>;

/** Runs one control without sending the form around it. */
const onEnter = (run: () => void) => (event: KeyboardEvent) => {
  if (event.key !== "Enter") return;
  event.preventDefault();
  run();
};

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

const isByGroup = ({ aggregation_group_type_index: index }: FlagBody["filters"]) => typeof index === "number";

/** An example as it is evaluated: with nothing but what it says. */
function subjectOf(example: Example, { filters }: FlagBody): Subject {
  const { distinct_id, person_properties, groups } = example;
  const about = isByGroup(filters) ? {} : { distinct_id, person_properties };
  return { ...about, groups, ...groupPropertiesOf(example), use_stored: false };
}

/** Properties of groups can be shown for an example only: the fields have none but those of a tested group. */
const groupPropertiesOf = ({ group_properties }: Example) =>
  Object.keys(group_properties).length > 0 ? { group_properties } : {};

/** The properties of an example as the fields show them: of the group, where a group is tested. */
function propertiesOf(example: Example | undefined, byGroup: boolean): string {
  const properties = byGroup ? Object.values(example?.group_properties ?? {})[0] : example?.person_properties;
  return properties && Object.keys(properties).length > 0 ? JSON.stringify(properties, null, 2) : "";
}

type FieldsProps = {
  projectId: string;
  filters: FlagBody["filters"];
  example: Example | undefined;
  onTest: (subject: Subject) => void;
  /** Called when what was tested is no longer what is entered. */
  onChange: () => void;
};

function SubjectFields({ projectId, filters, example, onTest, onChange }: FieldsProps) {
  const [who, setWho] = useState<Who>("described");
  const byGroup = isByGroup(filters);
  const [id, setId] = useState(example?.distinct_id ?? "");
  const [properties, setProperties] = useState(() => propertiesOf(example, byGroup));
  const [keys, setKeys] = useState<Record<string, string>>(example?.groups ?? {});
  const indexes = groupTypesIn(filters);
  const { types, error } = useGroupTypes(projectId, indexes.length > 0);
  const wanted = indexes.flatMap((index) => {
    const type = types?.get(index);
    return type === undefined ? [] : [{ index, type }];
  });
  const own = byGroup ? types?.get(filters.aggregation_group_type_index ?? -1) : undefined;
  const describes = byGroup || who === "described";
  const problem = describes ? (jsonProblem(properties) ?? notObject(properties)) : undefined;
  const ready = !problem && (byGroup ? own !== undefined && Boolean(keys[own]) : id.trim() !== "");

  function test() {
    if (!ready) return;
    const described = describes && properties.trim() ? JSON.parse(properties) : {};
    const named = wanted.filter(({ type }) => keys[type]).map(({ type }) => [type, keys[type] ?? ""]);
    const groups = Object.fromEntries(named);
    onTest(
      byGroup
        ? { groups, group_properties: own ? { [own]: described } : {} }
        : {
            distinct_id: id.trim(),
            groups,
            person_properties: described,
            use_stored: who === "stored",
            ...(example && who === "described" && groupPropertiesOf(example)),
          },
    );
  }
  return (
    <>
      {byGroup ? null : (
        <>
          <Segmented
            size="sm"
            label="Person to test"
            value={who}
            onValueChange={(next) => {
              setWho(next);
              onChange();
            }}
            options={WHO}
          />
          <Field label="Distinct id">
            <Input
              mono
              value={id}
              placeholder="user-1"
              spellCheck={false}
              onChange={(event) => setId(event.target.value)}
              onKeyDown={onEnter(test)}
            />
          </Field>
        </>
      )}
      {wanted.map(({ index, type }) => (
        <GroupField
          key={type}
          {...{ projectId, index, type }}
          optional={!byGroup}
          value={keys[type] ?? ""}
          onValueChange={(key) => setKeys({ ...keys, [type]: key })}
        />
      ))}
      {error ? (
        <p className="text-warning-text text-xs">The group types could not be loaded: {error.message}</p>
      ) : null}
      {describes ? (
        <Field
          label="Properties"
          optional
          error={problem}
          description={byGroup ? "Win over stored properties of the group." : undefined}
        >
          <JsonEditor
            value={properties}
            onValueChange={setProperties}
            minLines={2}
            placeholder={byGroup ? '{"tier": "gold"}' : '{"plan": "pro"}'}
          />
        </Field>
      ) : null}
      <div>
        <Button onClick={test} aria-disabled={!ready || undefined}>
          Test
        </Button>
      </div>
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

function notObject(text: string): string | undefined {
  if (text.trim() === "" || jsonProblem(text)) return undefined;
  const value: unknown = JSON.parse(text);
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? undefined
    : 'Properties must be an object, such as {"plan": "pro"}.';
}
