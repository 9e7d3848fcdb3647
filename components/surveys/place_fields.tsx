"use client";

import { useState } from "react";
import { useSettled } from "#components/feature_flags/use_reach.ts";
import { Callout } from "#components/ui/callout.tsx";
import { Card } from "#components/ui/card.tsx";
import { Checkbox } from "#components/ui/checkbox.tsx";
import { ChipsInput } from "#components/ui/chips-input.tsx";
import { Field } from "#components/ui/field.tsx";
import { Input } from "#components/ui/input.tsx";
import { Select } from "#components/ui/select.tsx";
import { useEndpoint } from "#components/use-endpoint.ts";
import { propertyDefinitionContract } from "#lib/property_definitions/contract.ts";
import { URL_MATCHES } from "./audience.ts";
import { useBuilder } from "./builder_context.tsx";
import { isObject } from "./draft.ts";
import { textOf } from "./use_put.ts";
import { WholeInput } from "./whole_input.tsx";

const DEVICES = ["Desktop", "Mobile", "Tablet"];

/** Where and after what people are asked: address, element, device, event. */
export function PlaceFields() {
  return (
    <>
      <Card title="Where" description="On which pages and devices. Left empty, it is everywhere.">
        <Where />
      </Card>
      <Card title="When people are there">
        <When />
      </Card>
    </>
  );
}

function Where() {
  const { draft, putMembers, readOnly } = useBuilder();
  const conditions = draft.conditions ?? {};
  const put = (members: Record<string, unknown>) => putMembers("conditions", members);
  const devices = Array.isArray(conditions.deviceTypes) ? conditions.deviceTypes.map(String) : [];
  const url = textOf(conditions.url);
  return (
    <div className="flex flex-col gap-4">
      <div className="grid gap-3 sm:grid-cols-[13rem_minmax(0,1fr)]">
        <Field label="Address">
          <Select
            disabled={readOnly}
            value={textOf(conditions.urlMatchType) || "icontains"}
            options={URL_MATCHES}
            onValueChange={(match) => put({ urlMatchType: match })}
          />
        </Field>
        <Field label="Text" error={urlProblem(url, conditions.urlMatchType)}>
          <Input
            mono
            spellCheck={false}
            placeholder="/checkout"
            value={url}
            onChange={(event) => {
              const next = event.target.value || undefined;
              put({
                url: next,
                ...(next && { urlMatchType: textOf(conditions.urlMatchType) || "icontains" }),
              });
            }}
          />
        </Field>
      </div>
      <Field
        label="Element on the page"
        optional
        hint="A CSS selector: it is asked only where one is found."
        error={selectorProblem(textOf(conditions.selector))}
      >
        <Input
          mono
          spellCheck={false}
          placeholder=".order-confirmed"
          value={textOf(conditions.selector)}
          onChange={(event) => put({ selector: event.target.value || undefined })}
        />
      </Field>
      <Field as="group" label="Devices" hint="None ticked: all of them.">
        <div className="flex flex-wrap gap-x-5 gap-y-2">
          {DEVICES.map((device) => (
            <Checkbox
              key={device}
              label={device}
              checked={devices.includes(device)}
              onCheckedChange={(on) => {
                const next = on === true ? [...devices, device] : devices.filter((each) => each !== device);
                put({ deviceTypes: next.length > 0 ? next : undefined });
              }}
            />
          ))}
        </div>
      </Field>
    </div>
  );
}

function urlProblem(url: string, match: unknown): string | undefined {
  if (match !== "regex" && match !== "not_regex") return undefined;
  try {
    new RegExp(url);
    return undefined;
  } catch {
    return "This is no regular expression.";
  }
}

function selectorProblem(selector: string): string | undefined {
  if (selector === "" || typeof document === "undefined") return undefined;
  try {
    document.createDocumentFragment().querySelector(selector);
    return undefined;
  } catch {
    return "This is no CSS selector.";
  }
}

const namesOf = (trigger: unknown): string[] =>
  isObject(trigger) && Array.isArray(trigger.values)
    ? trigger.values.filter(isObject).map((each) => String(each.name ?? ""))
    : [];

/** The events by these names; what was said of one that stays is kept. */
function withNames(trigger: unknown, names: readonly string[]) {
  const former = isObject(trigger) ? trigger : {};
  const values = Array.isArray(former.values) ? former.values.filter(isObject) : [];
  if (names.length === 0) return undefined;
  return { ...former, values: names.map((name) => values.find((each) => each.name === name) ?? { name }) };
}

function When() {
  const { draft, putMembers } = useBuilder();
  const conditions = draft.conditions ?? {};
  const events = isObject(conditions.events) ? conditions.events : {};
  const put = (members: Record<string, unknown>) => putMembers("conditions", members);
  const number = (value: unknown) => (typeof value === "number" ? value : null);
  return (
    <div className="flex flex-col gap-4">
      <EventsField
        label="After an event"
        hint="It is asked once one of these has happened on the page. None: at once."
        values={namesOf(conditions.events)}
        onValuesChange={(names) => put({ events: withNames(conditions.events, names) })}
      />
      {namesOf(conditions.events).length > 0 ? (
        <Checkbox
          label="Each time it happens"
          description="Also for people who have answered already."
          checked={events.repeatedActivation === true}
          onCheckedChange={(on) => put({ events: { ...events, repeatedActivation: on === true } })}
        />
      ) : null}
      <EventsField
        label="Unless an event comes first"
        hint="While it waits to be shown, one of these takes it back."
        values={namesOf(conditions.cancelEvents)}
        onValuesChange={(names) => put({ cancelEvents: withNames(conditions.cancelEvents, names) })}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="Wait on the page" optional hint="Before it comes up.">
          <WholeInput
            suffix="s"
            value={number(draft.appearance?.surveyPopupDelaySeconds)}
            onValueChange={(seconds) =>
              putMembers("appearance", { surveyPopupDelaySeconds: seconds ?? undefined })
            }
          />
        </Field>
        <Field label="Wait after another survey" optional hint="So that nobody is asked too often.">
          <WholeInput
            suffix="days"
            className="[&_input]:pr-12"
            value={number(conditions.seenSurveyWaitPeriodInDays)}
            onValueChange={(days) => put({ seenSurveyWaitPeriodInDays: days ?? undefined })}
          />
        </Field>
      </div>
      {isObject(conditions.actions) && namesOf(conditions.actions).length > 0 ? (
        <Callout>
          Actions are kept as they are: {namesOf(conditions.actions).join(", ")}. They can be changed as JSON.
        </Callout>
      ) : null}
    </div>
  );
}

type EventsProps = {
  label: string;
  hint: string;
  values: string[];
  onValuesChange: (names: string[]) => void;
};

/** Names of events: those really seen, or any other. */
function EventsField({ label, hint, values, onValuesChange }: EventsProps) {
  const { projectId } = useBuilder();
  const [search, setSearch] = useState("");
  const settled = useSettled(search, search).value;
  const seen = useEndpoint(
    propertyDefinitionContract.events,
    { params: { project_id: projectId }, query: { search: settled.trim() || undefined, limit: "50" } },
    { staleTime: 60_000, retry: false },
  );
  return (
    <Field label={label} optional hint={hint}>
      <ChipsInput
        values={values}
        onValuesChange={onValuesChange}
        options={(seen.data?.results ?? []).map((event) => ({ value: event.name }))}
        onSearch={setSearch}
        loading={seen.isFetching && !seen.data}
        freeText="Use event"
        placeholder="order completed…"
      />
    </Field>
  );
}
