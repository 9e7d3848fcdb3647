"use client";

import { Card } from "#components/ui/card.tsx";
import { Checkbox } from "#components/ui/checkbox.tsx";
import { Field } from "#components/ui/field.tsx";
import { Input } from "#components/ui/input.tsx";
import { Segmented } from "#components/ui/segmented.tsx";
import { Select } from "#components/ui/select.tsx";
import { ActionsField } from "./actions_field.tsx";
import { URL_MATCHES } from "./audience.ts";
import { useBuilder } from "./builder_context.tsx";
import { isObject } from "./draft.ts";
import { eventsOf } from "./event_draft.ts";
import { EventsField } from "./event_fields.tsx";
import { KeptNote } from "./kept_note.tsx";
import { patternProblem, selectorProblem } from "./place_problems.ts";
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
      <KeptNote of="conditions" />
    </>
  );
}

function Where() {
  const { draft, putMembers, readOnly } = useBuilder();
  const conditions = draft.conditions ?? {};
  const put = (members: Record<string, unknown>) => putMembers("conditions", members);
  const match = textOf(conditions.deviceTypesMatchType) || "icontains";
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
        <Field label="Text" error={patternProblem(url, conditions.urlMatchType)}>
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
      <Field
        as="group"
        label="Devices"
        hint={devices.length === 0 ? "None ticked: all of them." : undefined}
        aside={
          devices.length === 0 ? undefined : (
            <Segmented
              label="The devices ticked"
              size="sm"
              value={match.startsWith("not") || match === "is_not" ? "not_icontains" : "icontains"}
              options={[
                { value: "icontains", label: "Only on" },
                { value: "not_icontains", label: "Not on" },
              ]}
              onValueChange={(next) =>
                !readOnly && put({ deviceTypesMatchType: next === "icontains" ? undefined : next })
              }
            />
          )
        }
      >
        <div className="flex flex-wrap gap-x-5 gap-y-2">
          {[...DEVICES, ...devices.filter((device) => !DEVICES.includes(device))].map((device) => (
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

function When() {
  const { draft, putMembers } = useBuilder();
  const conditions = draft.conditions ?? {};
  const put = (members: Record<string, unknown>) => putMembers("conditions", members);
  const number = (value: unknown) => (typeof value === "number" ? value : null);
  return (
    <div className="flex flex-col gap-4">
      <EventsField
        label="After an event"
        hint="It is asked once one of these has happened on the page. None: at once."
        trigger={conditions.events}
        onTriggerChange={(events) => put({ events })}
      />
      {eventsOf(conditions.events).length > 0 ? (
        <Checkbox
          label="Each time it happens"
          description="Also for people who have answered already."
          checked={isObject(conditions.events) && conditions.events.repeatedActivation === true}
          onCheckedChange={(on) =>
            put({ events: { ...(conditions.events as object), repeatedActivation: on === true } })
          }
        />
      ) : null}
      <EventsField
        label="Unless an event comes first"
        hint="While it waits to be shown, one of these takes it back."
        trigger={conditions.cancelEvents}
        onTriggerChange={(cancelEvents) => put({ cancelEvents })}
      />
      <ActionsField actions={conditions.actions} onActionsChange={(actions) => put({ actions })} />
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
    </div>
  );
}
