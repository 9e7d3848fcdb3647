"use client";

import { useState } from "react";
import type {
  ExperimentActions,
  SavedMetricActions,
} from "#app/project/[project_id]/experiments/experiment-actions.ts";
import type { ExperimentForm } from "#components/experiments/editor/form-values.ts";
import { SaveMetricDialog } from "#components/experiments/metrics/save-metric-dialog.tsx";
import { SavedMetricDialog } from "#components/experiments/metrics/saved-metric-dialog.tsx";
import { SavedMetricPicker } from "#components/experiments/metrics/saved-metric-picker.tsx";
import { asUse, type SavedUse } from "#components/experiments/saved-uses.ts";
import { useEndpoint } from "#components/kit/use-endpoint.ts";
import { MetricEditor } from "#components/metrics/metric-editor.tsx";
import type { PreviewFrom } from "#components/metrics/use-preview.ts";
import { Callout } from "#components/ui/display/callout.tsx";
import { Skeleton } from "#components/ui/display/skeleton.tsx";
import { Dialog } from "#components/ui/overlay/dialog.tsx";
import type { Json } from "#lib/engines/json.ts";
import type { savedMetricContract } from "#lib/experiments/experiments/metrics/saved-metric-contract.ts";
import type { SavedMetricRecord } from "#lib/experiments/experiments/schema.ts";
import { MetricCards, type MetricRequest } from "./metric-cards.tsx";
import type { StepProps } from "./steps.ts";

/** The exposure that previews use: the experiment's own, where it has a past. */
export function previewFrom(values: ExperimentForm, experiment: StepProps["experiment"]): PreviewFrom {
  const counted = values.group === null ? {} : { aggregation_group_type_index: values.group };
  if (values.exposure.kind === "event" && values.exposure.event)
    return { ...counted, exposure_event: values.exposure.event };
  // A flag that was never evaluated has no past to look at.
  const isLive = experiment !== null && (experiment.start_date !== null || experiment.feature_flag.active);
  return isLive ? { ...counted, feature_flag_key: experiment.feature_flag_key } : counted;
}

/** Primary and secondary metrics, built from events that were received, or chosen from the saved ones. */
export function MetricsStep({ actions, ...props }: StepProps & { actions: ExperimentActions }) {
  const { experiment, values, change, problemOf } = props;
  const [request, setRequest] = useState<MetricRequest>();
  const launched = experiment !== null && experiment.status !== "draft";
  const shared = { values, change, onRequest: setRequest };
  return (
    <>
      {launched ? (
        <Callout tone="warning">
          This experiment is already launched. A changed metric is recomputed from the first day. A metric
          chosen after seeing results proves nothing.
        </Callout>
      ) : null}
      <MetricCards
        list="metrics"
        problem={problemOf("metrics") ?? problemOf("saved")}
        title="Primary metrics"
        description="They decide the outcome. Use one or two: each extra metric raises the risk of a false positive."
        {...shared}
      />
      <MetricCards
        list="metrics_secondary"
        problem={problemOf("metrics_secondary")}
        title="Secondary metrics"
        description="Guardrails, and metrics that help to explain the outcome."
        {...shared}
      />
      {request ? (
        <RequestDialog
          {...props}
          saved={actions.saved}
          request={request}
          close={() => setRequest(undefined)}
        />
      ) : null}
    </>
  );
}

type RequestDialogProps = StepProps & {
  saved: SavedMetricActions;
  request: MetricRequest;
  close: () => void;
};

/** The dialog for the requested action. */
function RequestDialog({ projectId, experiment, values, change, saved, request, close }: RequestDialogProps) {
  const from = previewFrom(values, experiment);
  const common = { projectId, onClose: close };
  const refreshed = (record: SavedMetricRecord) =>
    change({
      saved: values.saved.map((use) =>
        use.id === record.id ? { ...use, name: record.name, query: record.query } : use,
      ),
    });
  if (request.action === "edit_saved")
    return <EditSaved {...common} use={request.use} from={from} actions={saved} onSaved={refreshed} />;
  if (request.action === "choose")
    return (
      <SavedMetricPicker
        {...common}
        list={request.list}
        values={values}
        onChoose={(record) => {
          change({ saved: [...values.saved, asUse(record, request.list)] });
          close();
        }}
      />
    );
  const { list, index } = request;
  const metric = index === null ? null : (values[list][index] ?? null);
  if (request.action === "save")
    return metric ? (
      <SaveMetricDialog
        {...common}
        metric={metric}
        actions={saved}
        onSaved={(record) =>
          change({
            [list]: values[list].filter((each) => each !== metric),
            saved: [...values.saved, asUse(record, list)],
          })
        }
        onUndone={() => change({ [list]: values[list], saved: values.saved })}
      />
    ) : null;
  function keep(next: Json): undefined {
    const others = values[list];
    change({ [list]: metric ? others.map((each) => (each === metric ? next : each)) : [...others, next] });
    close();
  }
  return <MetricEditor {...common} metric={metric} from={from} onSave={keep} />;
}

type EditSavedProps = {
  projectId: string;
  use: SavedUse;
  from: PreviewFrom;
  actions: SavedMetricActions;
  onClose: () => void;
  onSaved: (saved: SavedMetricRecord) => void;
};

/** Edits a saved metric in its latest version, showing which experiments that affects. */
function EditSaved({ use, ...props }: EditSavedProps) {
  const params = { project_id: props.projectId, id: String(use.id) };
  const found = useEndpoint<typeof savedMetricContract.retrieve>(
    "/api/projects/{project_id}/experiment_saved_metrics/{id}/",
    { params },
    { staleTime: 0, gcTime: 0 },
  );
  if (found.data) return <SavedMetricDialog {...props} saved={found.data} />;
  return (
    <Dialog open title={`Edit ${use.name}`} onOpenChange={(open) => !open && props.onClose()}>
      {found.isError ? (
        <Callout tone="danger" title="The saved metric could not be loaded">
          {found.error.message}
        </Callout>
      ) : (
        <Skeleton className="h-40 w-full" />
      )}
    </Dialog>
  );
}
