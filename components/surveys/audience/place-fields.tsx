"use client";

import { X } from "lucide-react";
import { URL_MATCHES } from "#components/surveys/draft/audience.ts";
import { actionsOf, eventsOf, withoutAction } from "#components/surveys/draft/event-draft.ts";
import { patternProblem, selectorProblem } from "#components/surveys/draft/place-problems.ts";
import { textOf, useBuilder } from "#components/surveys/editing/builder-context.tsx";
import { OtherSettingsNote } from "#components/surveys/editing/other-settings-note.tsx";
import { WholeInput } from "#components/surveys/editing/whole-input.tsx";
import { Callout } from "#components/ui/display/callout.tsx";
import { Card } from "#components/ui/display/card.tsx";
import { Checkbox } from "#components/ui/form/checkbox.tsx";
import { Field } from "#components/ui/form/field.tsx";
import { Input } from "#components/ui/form/input.tsx";
import { Segmented } from "#components/ui/form/segmented.tsx";
import { Select } from "#components/ui/form/select.tsx";
import { IconButton } from "#components/ui/icon-button.tsx";
import { isObject, type Json } from "#lib/engines/json.ts";
import { EventsField } from "./event-fields.tsx";

type Props = { actions: unknown; onActionsChange: (actions: Json | undefined) => void };

/**
 * Actions that other tools linked to the survey, which can be removed. New ones cannot be added here: events
 * with conditions do the same.
 */
function ActionsField({ actions, onActionsChange }: Props) {
  const { readOnly, announce } = useBuilder();
  const linked = actionsOf(actions);
  if (linked.length === 0) return null;
  return (
    <Field
      as="group"
      label="After an action"
      hint="Linked by another tool. You can use an event above instead."
    >
      <ul aria-label="Linked actions" className="flex flex-col divide-y rounded-md border">
        {linked.map(({ name, steps }, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two actions may have one name; their order is fixed
          <li key={place} className="flex items-start justify-between gap-3 px-2.5 py-2 text-sm">
            <span className="min-w-0">
              <span className="block break-words font-medium">{name}</span>
              <span className="block break-words text-muted text-xs">
                {steps.length > 0 ? steps.join(", or ") : "It has no trigger."}
              </span>
            </span>
            {readOnly ? null : (
              <IconButton
                icon={X}
                size="sm"
                label={`Remove the action ${name}`}
                onClick={() => {
                  onActionsChange(withoutAction(actions, place));
                  announce(`The action ${name} was removed`);
                }}
              />
            )}
          </li>
        ))}
      </ul>
      {linked.every(({ steps }) => steps.length === 0) ? (
        <Callout tone="warning">
          None of these actions has a trigger, so the survey never appears. Remove them, or choose an event.
        </Callout>
      ) : null}
    </Field>
  );
}

const DEVICES = ["Desktop", "Mobile", "Tablet"];

/** Where and when people are asked: URL, element, device, event. */
export function PlaceFields() {
  return (
    <>
      <Card title="Where" description="On which pages and devices. Leave empty to show it everywhere.">
        <Where />
      </Card>
      <Card title="When">
        <When />
      </Card>
      <OtherSettingsNote of="conditions" />
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
        hint="A CSS selector. The survey appears only where it matches."
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
        hint={devices.length === 0 ? "None selected: all devices." : undefined}
        aside={
          devices.length === 0 ? undefined : (
            <Segmented
              label="Selected devices"
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
        hint="Shown once one of these has happened on the page. Leave empty to show it at once."
        trigger={conditions.events}
        onTriggerChange={(events) => put({ events })}
      />
      {eventsOf(conditions.events).length > 0 ? (
        <Checkbox
          label="Every time it happens"
          description="Also to people who have already answered."
          checked={isObject(conditions.events) && conditions.events.repeatedActivation === true}
          onCheckedChange={(on) =>
            put({ events: { ...(conditions.events as object), repeatedActivation: on === true } })
          }
        />
      ) : null}
      <EventsField
        label="Unless an event happens first"
        hint="If one of these happens while the survey waits, it is not shown."
        trigger={conditions.cancelEvents}
        onTriggerChange={(cancelEvents) => put({ cancelEvents })}
      />
      <ActionsField actions={conditions.actions} onActionsChange={(actions) => put({ actions })} />
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="Delay on the page" optional hint="Before the survey appears.">
          <WholeInput
            suffix="s"
            value={number(draft.appearance?.surveyPopupDelaySeconds)}
            onValueChange={(seconds) =>
              putMembers("appearance", { surveyPopupDelaySeconds: seconds ?? undefined })
            }
          />
        </Field>
        <Field label="Wait after another survey" optional hint="So that people are not asked too often.">
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
