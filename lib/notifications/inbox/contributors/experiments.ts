import { MULTIPLE, sampleRatioMismatch } from "#lib/engines/statistics/sample-ratio.ts";
import { type PhaseRow, selectPhases } from "#lib/experiments/experiments/lifecycle/phase-store.ts";
import { isSameSplit } from "#lib/experiments/experiments/lifecycle/phases.ts";
import { type ExperimentRow, selectUnconcluded } from "#lib/experiments/experiments/store.ts";
import { selectExposed } from "#lib/experiments/results/units/units-store.ts";
import type { Contributor, InboxContext, InboxItem } from "#lib/notifications/inbox/item.ts";
import { formatCount, plural } from "#lib/platform/format.ts";

const DAY_MS = 86_400_000;
const SHOWN_MS = 14 * DAY_MS;

type Exposed = { cut_at: Date; units: ReadonlyMap<string, number> };
type Started = ExperimentRow & { start_date: Date };

const numberOf = (value: unknown): number | null => (typeof value === "number" && value > 0 ? value : null);

const countedIn = ({ units }: Exposed): number =>
  [...units].reduce((sum, [variant, n]) => sum + (variant === MULTIPLE ? 0 : n), 0);

/**
 * Whether people were not split as configured. One whose split was changed while it ran is judged on its own page: that
 * needs to know when each person was first exposed.
 */
function isMismatched({ units }: Exposed, phases: readonly PhaseRow[]): boolean {
  const last = phases.at(-1);
  if (!last || !phases.every(({ variants }) => isSameSplit(variants, last.variants))) return false;
  const counts = Object.fromEntries([...units].filter(([variant]) => variant !== MULTIPLE));
  return sampleRatioMismatch(last.variants, counts)?.mismatch === true;
}

/** Why a running experiment has come to its planned end; null where it has not. */
function findEnd(
  { parameters, start_date }: Started,
  exposed: Exposed | undefined,
  now: Date,
): Pick<InboxItem, "why" | "since"> | null {
  const sample = numberOf(parameters?.recommended_sample_size);
  const counted = exposed ? countedIn(exposed) : 0;
  if (exposed && sample !== null && counted >= sample)
    return {
      why: `${formatCount(counted)} were exposed, of ${formatCount(sample)} planned, so its results can be read.`,
      since: exposed.cut_at,
    };
  const days = numberOf(parameters?.recommended_running_time);
  const end = days === null ? null : new Date(start_date.getTime() + days * DAY_MS);
  if (end === null || days === null || end > now) return null;
  return { why: `It was planned to run for ${plural(days, "day")}, and those have passed.`, since: end };
}

function itemsOf(
  row: Started,
  {
    exposed,
    phases,
    isActive,
    now,
  }: {
    exposed: Exposed | undefined;
    phases: readonly PhaseRow[];
    isActive: boolean;
    now: Date;
  },
): InboxItem[] {
  const { id, name, start_date, end_date } = row;
  const resource = { type: "experiment" as const, id: String(id), name };
  const path = `experiments/${id}`;
  const start = start_date.toISOString();
  if (end_date)
    return [
      {
        key: `experiment/${id}/unconcluded`,
        version: end_date.toISOString(),
        urgency: "today",
        title: `${name} has ended without a conclusion`,
        why: "Without one, nobody will know later what was learned from it.",
        since: end_date,
        action: { label: "Conclude", path },
        resource,
      },
    ];
  if (exposed && isMismatched(exposed, phases))
    return [
      {
        key: `experiment/${id}/mismatched`,
        type: "experiment.mismatched",
        version: start,
        urgency: "now",
        title: `${name} does not split people as configured`,
        why: "Its results cannot be trusted: a variant loses people before they are counted.",
        since: exposed.cut_at,
        action: { label: "Find the cause", path },
        resource,
      },
    ];
  const end = findEnd(row, exposed, now);
  if (end)
    return [
      {
        key: `experiment/${id}/finished`,
        type: "experiment.finished",
        version: start,
        urgency: "today",
        title: `${name} can be concluded`,
        ...end,
        action: { label: "Read the results", path },
        resource,
      },
    ];
  const hasHadADay = exposed && exposed.cut_at.getTime() - start_date.getTime() >= DAY_MS;
  if (!isActive || !hasHadADay || countedIn(exposed) > 0) return [];
  return [
    {
      key: `experiment/${id}/without_exposures`,
      type: "experiment.without_exposures",
      version: start,
      urgency: "today",
      title: `Nobody has been exposed to ${name}`,
      why: "It has been running for a day, so code does not evaluate its flag or does not report it.",
      since: start_date,
      action: { label: "Check the implementation", path: `${path}/setup` },
      resource,
    },
  ];
}

async function find({ runtime, db, project, now, limit }: InboxContext): Promise<InboxItem[]> {
  const since = new Date(now.getTime() - SHOWN_MS);
  const rows = await selectUnconcluded(db, { project_id: project.id, since, limit });
  const started = rows.filter((row): row is Started => row.start_date !== null && row.start_date <= now);
  const ids = started.filter(({ end_date }) => end_date === null).map(({ id }) => id);
  const [exposed, phases, { byId }] = await Promise.all([
    selectExposed(db, ids),
    selectPhases(db, ids),
    runtime.flags.project(project.id),
  ]);
  const byExperiment = Map.groupBy(phases, ({ experiment_id }) => experiment_id);
  return started.flatMap((row) =>
    itemsOf(row, {
      exposed: exposed.get(row.id),
      phases: byExperiment.get(row.id) ?? [],
      isActive: byId.get(row.feature_flag_id)?.active === true,
      now,
    }),
  );
}

/** Experiments that are done, cannot be trusted, reach nobody, or ended without a conclusion. */
export const experiments: Contributor = { scope: "experiment:read", find };
