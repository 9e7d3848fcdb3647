"use client";

import { EvaluationResult } from "#components/conditions/evaluation-result.tsx";
import { useEndpoint } from "#components/kit/use-endpoint.ts";
import type { evaluateContract } from "#lib/flags/feature_flags/evaluation/evaluate-contract.ts";
import type { Names } from "#lib/people/conditions/words.ts";

type Props = { projectId: string; flagId: number; personId: string; distinctId: string; names: Names };

/** How each set and row of a flag evaluates for a person, and the hash; loaded when it is opened. */
export function FlagExplanation({ projectId, flagId, personId, distinctId, names }: Props) {
  const { data, error } = useEndpoint<typeof evaluateContract.evaluate>(
    "/api/projects/{project_id}/feature_flags/evaluate/",
    {
      params: { project_id: projectId },
      body: { id: flagId, person_id: personId, distinct_id: distinctId },
    },
    { staleTime: 0, retry: false },
  );
  if (error)
    return (
      <EvaluationResult
        evaluation={{ state: "failed", problem: error.message }}
        version=""
        isDescribed
        names={names}
      />
    );
  if (!data)
    return <EvaluationResult evaluation={{ state: "evaluating" }} version="" isDescribed names={names} />;
  const hash = data.variants?.hash ?? data.sets.find((set) => set.rollout.hash !== null)?.rollout.hash;
  return (
    <div className="flex max-w-3xl flex-col gap-2">
      <EvaluationResult
        evaluation={{ state: "evaluated", found: data }}
        version={data.version === null ? "" : `Version ${data.version}`}
        isDescribed
        names={names}
      />
      {data.bucketing.id === null || hash === undefined || hash === null ? null : (
        <p className="break-words text-faint text-xs">
          Hash of <code className="font-mono">{data.bucketing.id}</code>:{" "}
          <span className="tabular">{hash.toFixed(4)}</span>
        </p>
      )}
    </div>
  );
}
