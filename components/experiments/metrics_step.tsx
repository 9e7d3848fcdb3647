"use client";

import { useState } from "react";
import { Callout } from "#components/ui/callout.tsx";
import { Dialog } from "#components/ui/dialog.tsx";
import { Skeleton } from "#components/ui/skeleton.tsx";
import { useEndpoint } from "#components/use-endpoint.ts";
import { savedMetricContract } from "#lib/experiments/saved_metric_contract.ts";
import type { SavedMetricRecord } from "#lib/experiments/schema.ts";
import type { Draft } from "./draft.ts";
import type { StepProps } from "./editor.tsx";
import type { ExperimentActions, SavedMetricActions } from "./experiment_actions.ts";
import { KeepMetricDialog } from "./keep_metric_dialog.tsx";
import { MetricCards } from "./metric_cards.tsx";
import { MetricEditor } from "./metric_editor.tsx";
import { SavedMetricDialog } from "./saved_metric_dialog.tsx";
import { SavedMetricPicker } from "./saved_metric_picker.tsx";
import { joinedTo, type List, type SavedUse } from "./saved_uses.ts";
import type { PreviewFrom } from "./use_preview.ts";

type Json = Record<string, unknown>;

/** What is being done with metrics. */
export type Asked =
  | { deed: "edit"; list: List; place: number | null }
  | { deed: "keep"; list: List; place: number }
  | { deed: "choose"; list: List }
  | { deed: "edit_saved"; use: SavedUse };

/** From where on previews count somebody: the experiment's own exposure, as far as it can be asked about. */
export function previewFrom(draft: Draft, experiment: StepProps["experiment"]): PreviewFrom {
  if (draft.exposure.kind === "event" && draft.exposure.event)
    return { exposure_event: draft.exposure.event };
  // A flag that nobody was asked for yet has no past to look at.
  const asked = experiment !== null && (experiment.start_date !== null || experiment.feature_flag.active);
  return asked ? { feature_flag_key: experiment.feature_flag_key } : {};
}

/** Primary and secondary metrics, built from events that were really seen, or taken from the saved ones. */
export function MetricsStep({ actions, ...props }: StepProps & { actions: ExperimentActions }) {
  const { experiment, draft, change } = props;
  const [asked, setAsked] = useState<Asked>();
  const launched = experiment !== null && experiment.status !== "draft";
  const shared = { draft, change, ask: setAsked };
  return (
    <>
      {launched ? (
        <Callout tone="warning">
          The experiment is launched. A metric that is changed now is computed anew from the first day, and
          choosing one after looking at results proves nothing.
        </Callout>
      ) : null}
      <MetricCards
        list="metrics"
        title="Primary metrics"
        description="What decides. One or two: with every further one, chance has another try."
        {...shared}
      />
      <MetricCards
        list="metrics_secondary"
        title="Secondary metrics"
        description="What must not get worse, and what helps to understand."
        {...shared}
      />
      {asked ? (
        <Deed {...props} saved={actions.saved} asked={asked} close={() => setAsked(undefined)} />
      ) : null}
    </>
  );
}

type DeedProps = StepProps & { saved: SavedMetricActions; asked: Asked; close: () => void };

/** The dialog of what is being done. */
function Deed({ projectId, experiment, draft, change, saved, asked, close }: DeedProps) {
  const from = previewFrom(draft, experiment);
  const common = { projectId, onClose: close };
  const refreshed = (record: SavedMetricRecord) =>
    change({
      saved: draft.saved.map((use) =>
        use.id === record.id ? { ...use, name: record.name, query: record.query } : use,
      ),
    });
  if (asked.deed === "edit_saved")
    return <EditSaved {...common} use={asked.use} from={from} actions={saved} onSaved={refreshed} />;
  if (asked.deed === "choose")
    return (
      <SavedMetricPicker
        {...common}
        list={asked.list}
        draft={draft}
        onChoose={(record) => {
          change({ saved: [...draft.saved, joinedTo(record, asked.list)] });
          close();
        }}
      />
    );
  const { list, place } = asked;
  const metric = place === null ? null : (draft[list][place] ?? null);
  if (asked.deed === "keep")
    return metric ? (
      <KeepMetricDialog
        {...common}
        metric={metric}
        actions={saved}
        onKept={(record) =>
          change({
            [list]: draft[list].filter((each) => each !== metric),
            saved: [...draft.saved, joinedTo(record, list)],
          })
        }
        onUndone={() => change({ [list]: draft[list], saved: draft.saved })}
      />
    ) : null;
  function keep(next: Json): undefined {
    const others = draft[list];
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

/** Edits a saved metric as it stands now, with whom that reaches. */
function EditSaved({ use, ...props }: EditSavedProps) {
  const params = { project_id: props.projectId, id: String(use.id) };
  const found = useEndpoint(savedMetricContract.retrieve, { params }, { staleTime: 0, gcTime: 0 });
  if (found.data) return <SavedMetricDialog {...props} saved={found.data} />;
  return (
    <Dialog open title={`Edit ${use.name}`} onOpenChange={(open) => !open && props.onClose()}>
      {found.isError ? (
        <Callout tone="danger" title="The saved metric cannot be read">
          {found.error.message}
        </Callout>
      ) : (
        <Skeleton className="h-40 w-full" />
      )}
    </Dialog>
  );
}
