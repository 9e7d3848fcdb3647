"use client";

import { Flag, FlaskConical, type LucideIcon, MessageSquareText } from "lucide-react";
import { useState } from "react";
import { useExperimentSearch, useFlagSearch, useSurveySearch } from "#components/frame/use-searches.ts";
import { ChipsInput } from "#components/ui/form/chips-input.tsx";
import type { DestinationRecord } from "#lib/notifications/destinations/schema.ts";

export type ChosenResource = DestinationRecord["resources"][number];

type Props = {
  projectId: number;
  values: readonly ChosenResource[];
  onValuesChange: (values: ChosenResource[]) => void;
};

const KINDS: Record<ChosenResource["type"], { label: string; icon: LucideIcon }> = {
  feature_flag: { label: "Flag", icon: Flag },
  experiment: { label: "Experiment", icon: FlaskConical },
  survey: { label: "Survey", icon: MessageSquareText },
};

const pathOf = ({ type, id }: ChosenResource): string => `${type}/${id}`;

const labelOf = ({ type, id, name }: ChosenResource): string =>
  name ?? `${KINDS[type].label} ${id} (deleted)`;

/** Flags, experiments and surveys of a project, found by what they are called. */
export function ResourcePicker({ projectId, values, onValuesChange }: Props) {
  const [query, setQuery] = useState("");
  const text = query.trim();
  const { flags, ...ofFlags } = useFlagSearch(projectId, text);
  const { experiments, ...ofExperiments } = useExperimentSearch(projectId, text);
  const { surveys, ...ofSurveys } = useSurveySearch(projectId, text);
  const found: ChosenResource[] = [
    ...flags.map(({ id, key }) => ({ type: "feature_flag" as const, id: String(id), name: key })),
    ...experiments.map(({ id, name }) => ({ type: "experiment" as const, id: String(id), name })),
    ...surveys.map(({ id, name }) => ({ type: "survey" as const, id, name })),
  ];
  const searches = [ofFlags, ofExperiments, ofSurveys];
  const problem = searches.find((search) => search.problem !== null)?.problem;
  const shown = text === "" ? values : found;
  const known = new Map([...found, ...values].map((each) => [pathOf(each), each]));
  return (
    <>
      <ChipsInput
        values={values.map(pathOf)}
        onValuesChange={(next) => onValuesChange(next.flatMap((value) => known.get(value) ?? []))}
        options={shown.map((each) => {
          const { label, icon: Icon } = KINDS[each.type];
          return {
            value: pathOf(each),
            label: labelOf(each),
            hint: label,
            icon: <Icon aria-hidden="true" className="size-3.5 shrink-0 text-faint" />,
          };
        })}
        labels={new Map(values.map((each) => [pathOf(each), labelOf(each)]))}
        onSearch={setQuery}
        loading={searches.some(({ pending }) => pending)}
        freeText={false}
        placeholder="Search flags, experiments and surveys"
      />
      {problem ? (
        <p role="status" className="text-danger-text text-xs">
          {problem}
        </p>
      ) : null}
    </>
  );
}
