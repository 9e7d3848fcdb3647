"use client";

import { type KeyboardEvent, useState } from "react";
import { Button } from "#components/ui/button.tsx";
import { Callout } from "#components/ui/callout.tsx";
import { Card } from "#components/ui/card.tsx";
import { Field } from "#components/ui/field.tsx";
import { Input } from "#components/ui/input.tsx";
import { JsonEditor } from "#components/ui/json-editor.tsx";
import { Segmented } from "#components/ui/segmented.tsx";
import { Skeleton } from "#components/ui/skeleton.tsx";
import { useEndpoint } from "#components/use-endpoint.ts";
import { flagContract } from "#lib/feature_flags/contract.ts";
import type { FlagRecord } from "#lib/feature_flags/schema.ts";
import type { Names } from "#lib/feature_flags/words.ts";
import { personContract } from "#lib/persons/contract.ts";
import type { Access, FlagActions } from "./flag_actions.ts";
import type { FlagBody } from "./form_values.ts";
import { reasonInWords } from "./outcome_words.ts";
import { jsonProblem } from "./payload_field.tsx";
import { TestCases } from "./test_cases.tsx";
import { DescribedOutcome, explainFor, looksElsewhere, Outcome, Why } from "./test_outcome.tsx";

type Props = {
  projectId: string;
  flag: FlagRecord | null;
  body: FlagBody;
  dirty: boolean;
  names: Names;
  access: Access;
  actions: FlagActions;
};

const WHO = [
  { value: "described", label: "Describe a person" },
  { value: "stored", label: "Stored person" },
] as const;

type Who = (typeof WHO)[number]["value"];

/** Runs one control without sending the form around it. */
const onEnter = (run: () => void) => (event: KeyboardEvent) => {
  if (event.key !== "Enter") return;
  event.preventDefault();
  run();
};

/** What one person gets, and why. A described person is tried on the flag as it stands in the form. */
export function TestPanel({ projectId, flag, body, dirty, names, access, actions }: Props) {
  const [who, setWho] = useState<Who>("described");
  const [id, setId] = useState("");
  const [properties, setProperties] = useState("");
  const [asked, setAsked] = useState<{ who: Who; id: string; properties: string }>();
  const problem = jsonProblem(properties) ?? notObject(properties);
  const run = () => id.trim() && !problem && setAsked({ who, id: id.trim(), properties });
  return (
    <Card
      title="Test"
      description="See what one person gets, and why."
      actions={
        flag ? (
          <Segmented
            size="sm"
            label="Whom to test"
            value={who}
            onValueChange={(next) => {
              setWho(next);
              setAsked(undefined);
            }}
            options={WHO.map((each) => ({
              ...each,
              label: each.value === "stored" ? "Stored" : "Described",
            }))}
          />
        ) : undefined
      }
    >
      <div className="flex flex-col gap-3">
        <Field label="Distinct id">
          <Input
            mono
            value={id}
            placeholder="user-1"
            spellCheck={false}
            onChange={(event) => setId(event.target.value)}
            onKeyDown={onEnter(run)}
          />
        </Field>
        {who === "described" ? (
          <Field label="Properties" optional error={problem}>
            <JsonEditor
              value={properties}
              onValueChange={setProperties}
              minLines={2}
              placeholder='{"plan": "pro"}'
            />
          </Field>
        ) : null}
        <div>
          <Button onClick={run} aria-disabled={!id.trim() || undefined}>
            Test
          </Button>
        </div>
        <div aria-live="polite" className="flex flex-col gap-2 empty:hidden">
          {asked?.who === "described" ? (
            <DescribedOutcome
              body={body}
              active={flag ? flag.active : body.active === true}
              asked={asked}
              names={names}
              keep={flag && access.may_write ? { projectId, flagId: flag.id, actions } : null}
            />
          ) : null}
          {asked?.who === "stored" && flag ? (
            <>
              <StoredOutcome projectId={projectId} flag={flag} id={asked.id} names={names} />
              {dirty ? (
                <p className="text-faint text-xs">As saved: unsaved changes are not counted in.</p>
              ) : null}
            </>
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

function notObject(text: string): string | undefined {
  if (text.trim() === "" || jsonProblem(text)) return undefined;
  const value: unknown = JSON.parse(text);
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? undefined
    : 'Properties are an object, such as {"plan": "pro"}.';
}

type StoredProps = { projectId: string; flag: FlagRecord; id: string; names: Names };

function StoredOutcome({ projectId, flag, id, names }: StoredProps) {
  const { data, error, isFetching } = useEndpoint(
    flagContract.evaluation_reasons,
    { params: { project_id: projectId }, query: { distinct_id: id } },
    { staleTime: 0, retry: false },
  );
  if (error)
    return (
      <Callout tone="danger" title="Could not be tested">
        {error.message}
      </Callout>
    );
  if (!data || isFetching) return <Skeleton className="h-8" />;
  const found = data[flag.key];
  if (!found) return <p className="text-muted text-sm">The flag was not evaluated: it may be deleted.</p>;
  return (
    <>
      <Outcome
        value={found.value}
        reason={reasonInWords(found.evaluation.reason, found.evaluation.condition_index)}
        filters={flag.filters}
      />
      <StoredWhy {...{ projectId, flag, id, names }} value={found.value} />
    </>
  );
}

/** The sets and rows for a stored person, where they can be worked out here and come to the same value. */
function StoredWhy({ projectId, flag, id, names, value }: StoredProps & { value: boolean | string }) {
  const { data } = useEndpoint(
    personContract.list,
    { params: { project_id: projectId }, query: { distinct_id: id, limit: "1" } },
    { staleTime: 0, retry: false },
  );
  if (!data || looksElsewhere(flag.filters)) return null;
  const [person] = data.results;
  const explained = explainFor(flag, flag.active, { distinct_id: id, properties: person?.properties ?? {} });
  if (explained?.outcome.value !== value) return null;
  return (
    <>
      {person ? null : <p className="text-faint text-xs">Nobody with this id is stored yet.</p>}
      <Why explained={explained} filters={flag.filters} names={names} />
    </>
  );
}
