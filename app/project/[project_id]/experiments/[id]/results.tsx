import { experimentEvents } from "#components/experiment_results/happenings.ts";
import { HIDE_PARAMETER } from "#components/experiment_results/hide_parameter.ts";
import { ResultsView } from "#components/experiment_results/results_view.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { getApi } from "#lib/dashboard/api.ts";
import { permitted } from "#lib/dashboard/permitted.ts";
import { experimentResultContract } from "#lib/experiment_results/contract.ts";
import { experimentContract } from "#lib/experiments/contract.ts";
import type { ExperimentRecord } from "#lib/experiments/schema.ts";
import { settingsOf } from "#lib/statistics/settings.ts";
import { experimentAccess } from "../reads.ts";
import { hide, look, recompute } from "./result_actions.ts";

const EVENTS_READ = 100;

type Props = {
  projectId: string;
  experiment: ExperimentRecord;
  /** Shows metrics that are hidden until the planned sample, once. */
  reveal: boolean;
  /** Reads the same counts with sequential intervals. */
  peekSafe: boolean;
};

/** Everything about an experiment's results, read through the API. */
export async function ExperimentResults({ projectId, experiment, reveal, peekSafe }: Props) {
  const api = await getApi();
  const params = { project_id: projectId, id: String(experiment.id) };
  const [results, looks, log, access] = await Promise.all([
    permitted(api.call(experimentResultContract.results, { params })),
    permitted(api.call(experimentResultContract.looks, { params })),
    permitted(api.call(experimentContract.activity, { params, query: { limit: String(EVENTS_READ) } })),
    experimentAccess(),
  ]);
  if (!results)
    return (
      <EmptyState title="This key may not read results">
        Reading an experiment's results takes the scope experiment:read.
      </EmptyState>
    );
  return (
    <ResultsView
      projectId={projectId}
      experimentId={experiment.id}
      name={experiment.name}
      results={results}
      settings={settingsOf(experiment.stats_config)}
      looks={looks?.results ?? []}
      events={experimentEvents(experiment, log?.results ?? [])}
      hiding={{
        isOn: experiment.parameters?.[HIDE_PARAMETER] === true,
        mayChange: access.may_write && experiment.start_date !== null,
      }}
      mayRecord={access.may_write}
      isRevealed={reveal}
      isPeekSafe={peekSafe}
      actions={{ look, hide, recompute }}
    />
  );
}
