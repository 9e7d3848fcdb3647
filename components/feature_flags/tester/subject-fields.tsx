"use client";

import { type KeyboardEvent, useState } from "react";
import type { Example } from "#components/conditions/editor/filters-context.tsx";
import type { FlagBody } from "#components/feature_flags/form-values.ts";
import { jsonProblem } from "#components/feature_flags/targeting/payload-field.tsx";
import { Button } from "#components/ui/button.tsx";
import { Field } from "#components/ui/form/field.tsx";
import { Input } from "#components/ui/form/input.tsx";
import { JsonEditor } from "#components/ui/form/json/json-editor.tsx";
import { Segmented } from "#components/ui/form/segmented.tsx";
import type { EvaluateRequest } from "#lib/flags/feature_flags/evaluation/evaluate-contract.ts";
import { GroupField, groupTypesIn, useGroupTypes } from "./group-field.tsx";

const WHO = [
  { value: "described", label: "Described person" },
  { value: "stored", label: "Stored person" },
] as const;

type Who = (typeof WHO)[number]["value"];

/** Who is tested. */
export type Subject = Pick<
  EvaluateRequest,
  "distinct_id" | "person_properties" | "groups" | "group_properties" | "use_stored"
>;

/** Runs one control without sending the form around it. */
const onEnter = (run: () => void) => (event: KeyboardEvent) => {
  if (event.key !== "Enter") return;
  event.preventDefault();
  run();
};

const isByGroup = ({ aggregation_group_type_index: index }: FlagBody["filters"]) => typeof index === "number";

/** An example as it is evaluated: with nothing but what it says. */
export function subjectOf(example: Example, { filters }: FlagBody): Subject {
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

/** Describes the person or group to test, or finds a stored one. */
export function SubjectFields({ projectId, filters, example, onTest, onChange }: FieldsProps) {
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

function notObject(text: string): string | undefined {
  if (text.trim() === "" || jsonProblem(text)) return undefined;
  const value: unknown = JSON.parse(text);
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? undefined
    : 'Properties must be an object, such as {"plan": "pro"}.';
}
