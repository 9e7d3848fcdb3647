import { MULTIPLE } from "#lib/engines/statistics/sample-ratio.ts";
import { levelOf } from "#lib/engines/statistics/settings.ts";
import { statusOf } from "#lib/experiments/experiments/status.ts";
import type { Figures } from "#lib/experiments/results/days/series.ts";
import { readProgress } from "#lib/experiments/results/events/progress.ts";
import type { Prepared } from "#lib/experiments/results/prepare.ts";
import type { ExperimentResults } from "#lib/experiments/results/result-schema.ts";
import type { MemberContext } from "#lib/flags/context.ts";

import { instant, instantOrNull } from "#lib/platform/http/instant.ts";
import { buildExposures } from "./exposures.ts";
import { listFindings } from "./health.ts";
import { buildMetricRows } from "./rows.ts";
import { checkSplit, type Split } from "./split.ts";

const PACE_DAYS = 7;

const numberOf = (value: unknown): number | null =>
  typeof value === "number" && Number.isFinite(value) ? value : null;

function plannedOf(
  { experiment }: Prepared,
  figures: Figures | null,
  exposures: ExperimentResults["exposures"],
) {
  const sample = numberOf(experiment.parameters?.recommended_sample_size);
  const minimum_detectable_effect = numberOf(experiment.parameters?.minimum_detectable_effect);
  const total = countedOf(figures);
  const before = (exposures?.timeseries ?? [])
    .filter(({ variant }) => variant !== MULTIPLE)
    .reduce((sum, { exposure_counts }) => sum + (exposure_counts.at(-1 - PACE_DAYS) ?? 0), 0);
  const days = Math.max(1, Math.min(PACE_DAYS, exposures?.timeseries[0]?.days.length ?? 1));
  const pace = (total - before) / days;
  const left = sample === null ? null : Math.max(0, sample - total);
  return {
    sample,
    reached: sample === null ? null : total >= sample,
    minimum_detectable_effect,
    days_left: left === null || experiment.end_date || pace <= 0 ? null : Math.ceil(left / pace),
  };
}

/** Units that count in metrics. */
const countedOf = (figures: Pick<Figures, "units"> | null): number =>
  [...(figures?.units ?? [])].reduce((sum, [key, n]) => sum + (key === MULTIPLE ? 0 : n), 0);

/** The phases of a split as the API shows them. */
const phaseRows = ({ phases, check }: Split): ExperimentResults["health"]["phases"] =>
  phases.map(({ from, to, variants, exposures }, i) => ({
    from: instant(from),
    to: instantOrNull(to),
    shares: Object.fromEntries(variants.map(({ key, rollout_percentage }) => [key, rollout_percentage])),
    exposures: Object.fromEntries(exposures),
    expected: check.phases[i]?.expected_counts ?? null,
    p_value: check.phases[i]?.p_value ?? null,
  }));

/** Whether the figures can be trusted: who was exposed, how that agrees with the split, and problems. */
export function judgeHealth(prepared: Prepared, figures: Figures | null): ExperimentResults["health"] {
  const units = figures?.units ?? new Map<string, number>();
  const split = checkSplit(prepared, { phase_units: figures?.phase_units ?? [] });
  const { all } = split.check;
  const total = [...units.values()].reduce((a, b) => a + b, 0);
  const multiple = units.get(MULTIPLE) ?? 0;
  const findings = figures
    ? listFindings({
        units,
        split,
        handling: prepared.plan.handling,
        isRunning: !prepared.experiment.end_date,
        isFlagActive: prepared.flag?.active === true,
        unit: unitOf(prepared),
      })
    : [];
  return {
    total,
    multiple,
    multiple_share: total === 0 ? 0 : multiple / total,
    mismatch: all && { expected: all.expected_counts, p_value: all.p_value, mismatch: all.mismatch },
    phases: phaseRows(split),
    findings,
  };
}

const unitOf = ({ plan }: Pick<Prepared, "plan">) => plan.group_type ?? "person";

const variantRows = ({ split, plan, baseline }: Prepared): ExperimentResults["variants"] =>
  plan.variants.map((key) => {
    const variant = split.find((one) => one.key === key);
    return {
      key,
      name: variant?.name ?? null,
      share: variant?.rollout_percentage ?? null,
      is_baseline: key === baseline,
    };
  });

/** Everything about results. `figures` null: they are not there yet. */
export async function buildOverview(
  context: MemberContext,
  prepared: Prepared,
  figures: Figures | null,
  state: ExperimentResults["state"],
): Promise<ExperimentResults> {
  const { experiment, flag, settings } = prepared;
  const exposures = figures && buildExposures(prepared, figures, context.now.getTime());
  return {
    experiment_id: experiment.id,
    status: statusOf(experiment, flag),
    state,
    progress: state === "computing" ? await readProgress(context.db, experiment.id) : null,
    as_of: figures ? instant(new Date(figures.cut - 1)) : null,
    variants: variantRows(prepared),
    unit: unitOf(prepared),
    exposures,
    health: judgeHealth(prepared, figures),
    planned: plannedOf(prepared, figures, exposures),
    settings: {
      method: settings.method,
      level: levelOf(settings),
      difference_type: settings.difference_type,
      sequential: settings.method === "frequentist" && settings.sequential != null,
      cuped: settings.cuped != null,
      cuped_estimator: settings.cuped ?? null,
      baseline_key: prepared.baseline,
    },
    metrics: buildMetricRows(prepared, figures),
  };
}
