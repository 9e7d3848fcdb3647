"use client";

import { useMemo } from "react";
import { type FiltersDraft, draftOf as filtersDraftOf, filtersOf } from "#components/feature_flags/draft.ts";
import { FiltersProvider } from "#components/feature_flags/filters_context.tsx";
import { SetsEditor } from "#components/feature_flags/sets_editor.tsx";
import { WarningText } from "#components/feature_flags/warning_text.tsx";
import { Callout } from "#components/ui/callout.tsx";
import { Card } from "#components/ui/card.tsx";
import { Field, FieldError } from "#components/ui/field.tsx";
import { RadioCards } from "#components/ui/radio-cards.tsx";
import { checkFilters } from "#lib/evaluation/checks.ts";
import type { FlagFilters as EngineFilters } from "#lib/evaluation/types.ts";
import { placesInWords } from "./audience.ts";
import { AudienceCount } from "./audience_count.tsx";
import { useBuilder, useProblem } from "./builder_context.tsx";
import { LinkedFlagField } from "./linked_flag_field.tsx";
import { PlaceFields } from "./place_fields.tsx";
import { bodyOf } from "./survey_draft.ts";

const NOBODY = filtersDraftOf({ groups: [] });

/** A first set: nobody is taken before a row says who. */
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

/** Whom the survey asks, where, and after what. */
export function AudienceTab() {
  const { draft, readOnly } = useBuilder();
  if (draft.fields.type === "external_survey")
    return (
      <Callout title="Whoever has the address can answer" className="max-w-3xl">
        A page of its own asks nobody by itself: you send its address. Flags, targeting and conditions on
        pages do not apply to it, and are left out when it is saved.
      </Callout>
    );
  return (
    <FiltersScope>
      <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,1fr)_20rem]">
        <fieldset disabled={readOnly} aria-label="Audience" className="flex min-w-0 flex-col gap-5">
          <PeopleCard />
          <Card title="Linked flag" description="Ask only people for whom a flag is on, or serves a variant.">
            <LinkedFlagField />
          </Card>
          <PlaceFields />
        </fieldset>
        <Summary />
      </div>
    </FiltersScope>
  );
}

/** The rows of flags edit the targeting of the survey here. */
function FiltersScope({ children }: { children: React.ReactNode }) {
  const { projectId, draft, change, names, learn, announce, readOnly, problems, survey } = useBuilder();
  const targeting = draft.targeting ?? NOBODY;
  const found = problems.find((problem) => problem.field === "targeting_flag_filters");
  const warnings = useMemo(() => warningsFor(targeting), [targeting]);
  return (
    <FiltersProvider
      value={{
        projectId,
        flagId: survey?.targeting_flag?.id ?? null,
        draft: targeting,
        change: (next) => change((each) => ({ ...each, targeting: each.targeting && next(each.targeting) })),
        problem: found ? { path: found.path ?? [], message: found.message } : null,
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
  const { draft, change, readOnly, problems } = useBuilder();
  const problem = problems.find((each) => each.field === "targeting_flag_filters");
  const overall = draft.targeting
    ? warningsFor(draft.targeting).filter((warning) => warning.set === null)
    : [];
  return (
    <Card title="People" description="By what is known of them. The same rows as those of feature flags.">
      <div className="flex flex-col gap-4">
        <RadioCards
          label="Whom to ask"
          columns={2}
          disabled={readOnly}
          value={draft.targeting ? "some" : "all"}
          options={[
            { value: "all", label: "Everybody", description: "Whoever comes by, within what is said below." },
            {
              value: "some",
              label: "People who match",
              description: "By properties, cohorts and other flags.",
            },
          ]}
          onValueChange={(kind) =>
            change((each) => ({
              ...each,
              targeting: kind === "all" ? null : (each.targeting ?? firstSet()),
            }))
          }
        />
        {draft.targeting ? <SetsEditor /> : null}
        {overall.map((warning) => (
          <WarningText key={warning.message}>{warning.message}</WarningText>
        ))}
        {problem && (problem.path ?? []).length === 0 ? <FieldError>{problem.message}</FieldError> : null}
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
            <Field as="group" label="Of them, those who come by">
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
            Counted on the people stored now. Who has answered or dismissed it is not asked again, unless it
            repeats.
          </p>
          <FieldError>{problem}</FieldError>
        </div>
      </Card>
    </aside>
  );
}
