import { exposureText } from "#components/experiments/metrics/exposure-words.ts";
import { listExperimentEvents } from "#components/experiments/results/experiment-events.ts";
import { ResultsView } from "#components/experiments/results/results-view.tsx";
import { Snippets } from "#components/feature_flags/detail/snippets.tsx";
import { EmptyState } from "#components/ui/display/empty-state.tsx";
import { getApi } from "#lib/app/session/api.ts";
import { permitted } from "#lib/app/session/permitted.ts";
import { readSettings } from "#lib/engines/statistics/settings.ts";
import { experimentContract } from "#lib/experiments/experiments/contract.ts";
import { HIDE_PARAMETER } from "#lib/experiments/experiments/hiding.ts";
import type { ExperimentRecord } from "#lib/experiments/experiments/schema.ts";
import { experimentResultContract } from "#lib/experiments/results/contract.ts";
import { projectToken, readRemoteBase } from "../../feature_flags/reads.ts";
import { experimentAccess } from "../reads.ts";
import { resultActions } from "./result-actions.ts";

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
  const [results, looks, log, access, token, apiBase] = await Promise.all([
    permitted(api.call(experimentResultContract.results, { params, query: { look: "false" } })),
    permitted(api.call(experimentResultContract.looks, { params })),
    permitted(api.call(experimentContract.activity, { params, query: { limit: String(EVENTS_READ) } })),
    experimentAccess(),
    projectToken(api, projectId),
    readRemoteBase(),
  ]);
  if (!results)
    return (
      <EmptyState title="Your API key may not read results">
        Sign in with a key that has the scope experiment:read.
      </EmptyState>
    );
  return (
    <ResultsView
      projectId={projectId}
      experimentId={experiment.id}
      name={experiment.name}
      results={results}
      settings={readSettings(experiment.stats_config)}
      looks={looks?.results ?? []}
      events={listExperimentEvents(experiment, log?.results ?? [])}
      hiding={{
        isOn: experiment.parameters?.[HIDE_PARAMETER] === true,
        mayChange: access.may_write && experiment.start_date !== null,
      }}
      mayRecord={access.may_write}
      isRevealed={reveal}
      isPeekSafe={peekSafe}
      exposure={{
        text: exposureText(experiment.exposure_criteria, experiment.feature_flag_key),
        snippet: (
          <Snippets token={token} flagKey={experiment.feature_flag_key} kind="variants" apiBase={apiBase} />
        ),
      }}
      actions={resultActions}
    />
  );
}
