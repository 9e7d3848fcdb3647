"use client";

import { X } from "lucide-react";
import { useMemo } from "react";
import { useFormContext } from "react-hook-form";
import {
  type FiltersDraft,
  draftOf as filtersDraftOf,
  filtersOf,
} from "#components/conditions/editor/draft.ts";
import { FiltersProvider } from "#components/conditions/editor/filters-context.tsx";
import { FlagPicker, useFlagAnswers } from "#components/conditions/editor/pickers.tsx";
import { SetsEditor } from "#components/conditions/editor/sets-editor.tsx";
import { Warnings } from "#components/conditions/editor/warning-text.tsx";
import { placesInWords } from "#components/surveys/draft/audience.ts";
import { bodyOf, type SurveyDraft } from "#components/surveys/draft/survey-draft.ts";
import { useBuilder, useProblem } from "#components/surveys/editing/builder-context.tsx";
import { Callout } from "#components/ui/display/callout.tsx";
import { Card } from "#components/ui/display/card.tsx";
import { Field, FieldError } from "#components/ui/form/field.tsx";
import { RadioCards } from "#components/ui/form/radio-cards.tsx";
import { Select } from "#components/ui/form/select.tsx";
import { IconButton } from "#components/ui/icon-button.tsx";
import { checkFilters } from "#lib/engines/evaluation/values/checks.ts";
import type { FlagFilters as EngineFilters } from "#lib/engines/evaluation/values/types.ts";
import { AudienceCount } from "./audience-count.tsx";
import { PlaceFields } from "./place-fields.tsx";

/** The flag, and optionally the variant, that a person must have to be asked. */
function LinkedFlagField() {
  const { draft, put, putMembers, readOnly } = useBuilder();
  const id = draft.linked_flag_id;
  const variants = useFlagAnswers(id === null ? "" : String(id));
  const problem = useProblem("linked_flag_id");
  const variant = draft.conditions?.linkedFlagVariant;
  const chosen = typeof variant === "string" ? variant : "any";
  const options = [
    { value: "any", label: "on, or any variant" },
    ...variants.map((key) => ({ value: key, label: key })),
    ...(chosen !== "any" && !variants.includes(chosen)
      ? [{ value: chosen, label: `${chosen} (no such variant)` }]
      : []),
  ];
  function link(next: number | null) {
    put({ linked_flag_id: next });
    putMembers("conditions", { linkedFlagVariant: undefined });
  }
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      <Field label="Flag" error={problem}>
        <div className="flex items-center gap-1">
          <FlagPicker
            label="Linked flag"
            value={id === null ? "" : String(id)}
            onValueChange={(next) => link(Number(next))}
          />
          {id === null || readOnly ? null : (
            <IconButton icon={X} label="Unlink the flag" onClick={() => link(null)} />
          )}
        </div>
      </Field>
      {id !== null && (variants.length > 0 || chosen !== "any") ? (
        <Field label="Serves">
          <Select
            disabled={readOnly}
            value={chosen}
            options={options}
            onValueChange={(next) =>
              putMembers("conditions", { linkedFlagVariant: next === "any" ? undefined : next })
            }
          />
        </Field>
      ) : null}
    </div>
  );
}

const NOBODY = filtersDraftOf({ groups: [] });

/** The initial set: matches nobody until a condition is added. */
const firstSet = () =>
  filtersDraftOf({
    groups: [
      {
        properties: [{ key: "", type: "person", operator: "exact", value: [] }],
        rollout_percentage: 100,
      },
    ],
  });

function warningsFor(draft: FiltersDraft) {
  try {
    return checkFilters(filtersOf(draft) as unknown as EngineFilters, { now: Date.now() });
  } catch {
    return [];
  }
}

/** Who is asked, where, and when. */
export function AudienceTab() {
  const { draft, readOnly } = useBuilder();
  if (draft.type === "external_survey")
    return (
      <Callout title="Anyone with the address can answer" className="max-w-3xl">
        A hosted page is not shown by itself: you send out its address. Flags, targeting and page conditions
        do not apply and are removed when you save.
      </Callout>
    );
  return (
    <FiltersScope>
      <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,1fr)_20rem]">
        <fieldset disabled={readOnly} aria-label="Audience" className="flex min-w-0 flex-col gap-5">
          <PeopleCard />
          <Card title="Linked flag" description="Ask only people for whom a flag is on or serves a variant.">
            <LinkedFlagField />
          </Card>
          <PlaceFields />
        </fieldset>
        <Summary />
      </div>
    </FiltersScope>
  );
}

/** Uses the condition editor of flags for the targeting of the survey. */
function FiltersScope({ children }: { children: React.ReactNode }) {
  const { projectId, draft, put, names, learn, announce, readOnly, problems, survey } = useBuilder();
  const { getValues } = useFormContext<SurveyDraft>();
  const targeting = draft.targeting_flag_filters ?? NOBODY;
  const found = problems.find(({ path }) => path[0] === "targeting_flag_filters");
  const warnings = useMemo(() => warningsFor(targeting), [targeting]);
  return (
    <FiltersProvider
      value={{
        projectId,
        flagId: survey?.targeting_flag?.id ?? null,
        draft: targeting,
        change(next) {
          const present = getValues("targeting_flag_filters");
          if (present) put({ targeting_flag_filters: next(present) });
        },
        problem: found ? { ...found, path: found.path.slice(1) } : null,
        warnings,
        names,
        learn,
        announce,
        readOnly,
      }}
    >
      {children}
    </FiltersProvider>
  );
}

function PeopleCard() {
  const { draft, put, readOnly } = useBuilder();
  const problem = useProblem("targeting_flag_filters");
  const targeting = draft.targeting_flag_filters;
  const overall = targeting ? warningsFor(targeting).filter((warning) => warning.set === null) : [];
  return (
    <Card title="People" description="By their properties, with the same conditions as feature flags.">
      <div className="flex flex-col gap-4">
        <RadioCards
          label="Whom to ask"
          columns={2}
          disabled={readOnly}
          value={targeting ? "some" : "all"}
          options={[
            { value: "all", label: "Everybody", description: "All visitors who meet the conditions below." },
            {
              value: "some",
              label: "People who match",
              description: "By properties, cohorts and other flags.",
            },
          ]}
          onValueChange={(kind) =>
            put({ targeting_flag_filters: kind === "all" ? null : (targeting ?? firstSet()) })
          }
        />
        {targeting ? <SetsEditor /> : null}
        <Warnings warnings={overall} />
        <FieldError>{problem}</FieldError>
      </div>
    </Card>
  );
}

function Summary() {
  const { projectId, draft, survey } = useBuilder();
  const body = useMemo(() => bodyOf(draft), [draft]);
  const places = placesInWords(body.conditions);
  const problem = useProblem("conditions");
  return (
    <aside aria-label="Who will see it" className="lg:sticky lg:top-4">
      <Card title="Who will see it">
        <div className="flex flex-col gap-3">
          <AudienceCount
            projectId={projectId}
            body={body}
            id={survey?.id ?? null}
            flagKey={survey?.targeting_flag?.key ?? null}
          />
          {places.length > 0 ? (
            <Field as="group" label="Conditions">
              <ul className="flex list-disc flex-col gap-1 pl-4 text-muted text-sm">
                {places.map((place) => (
                  <li key={place} className="break-words">
                    {place}
                  </li>
                ))}
              </ul>
            </Field>
          ) : null}
          <p className="text-faint text-xs">
            Counts the people stored now. People who answered or dismissed it are not asked again unless it
            repeats.
          </p>
          <FieldError>{problem}</FieldError>
        </div>
      </Card>
    </aside>
  );
}
