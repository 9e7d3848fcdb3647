import type { Route } from "next";
import { Status } from "#components/ui/display/badge.tsx";
import { TextLink } from "#components/ui/text-link.tsx";
import type { SavedMetricRecord } from "#lib/experiments/experiments/schema.ts";
import { formatCount } from "#lib/platform/format.ts";

const SHOWN = 3;

type Props = { projectId: string; saved: Pick<SavedMetricRecord, "experiments" | "experiment_count"> };

/** The experiments that use a saved metric, the newest first; more than a few on demand. */
export function UsedBy({ projectId, saved }: Props) {
  const { experiments, experiment_count: count } = saved;
  const first = experiments.slice(0, experiments.length > SHOWN + 1 ? SHOWN : SHOWN + 1);
  const rest = experiments.slice(first.length);
  const unnamed = count - experiments.length;
  return (
    <>
      <ExperimentUses projectId={projectId} experiments={first} />
      {rest.length > 0 ? (
        <details className="mt-1">
          <summary className="w-fit cursor-default rounded-xs text-muted text-xs leading-6 hover:text-ink">
            and {formatCount(count - first.length)} more
          </summary>
          <ExperimentUses projectId={projectId} experiments={rest} />
          {unnamed > 0 ? <p className="text-faint text-xs">and {formatCount(unnamed)} older ones</p> : null}
        </details>
      ) : null}
    </>
  );
}

type Use = Pick<SavedMetricRecord["experiments"][number], "id" | "name" | "status"> & { type?: string };

/** Links to experiments that use something. */
export function ExperimentUses({
  projectId,
  experiments,
}: {
  projectId: string;
  experiments: readonly Use[];
}) {
  if (experiments.length === 0) return <span className="text-faint">None yet</span>;
  return (
    <ul className="flex flex-col gap-0.5">
      {experiments.map(({ id, name, status, type }) => (
        <li key={id} className="flex flex-wrap items-center gap-x-2 leading-6">
          <TextLink
            href={`/project/${projectId}/experiments/${id}${status === "draft" ? "/setup" : ""}` as Route}
            className="min-w-0 break-words"
          >
            {name}
          </TextLink>
          <Status status={status} />
          {type === "secondary" ? <span className="text-faint text-xs">secondary</span> : null}
        </li>
      ))}
    </ul>
  );
}
