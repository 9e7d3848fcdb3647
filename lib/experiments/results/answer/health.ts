import { plainNumber } from "#lib/engines/statistics/numbers.ts";
import { MULTIPLE } from "#lib/engines/statistics/sample-ratio.ts";
import type { Finding } from "#lib/experiments/results/result-schema.ts";
import { unitCount, unitWord } from "#lib/experiments/results/unit-words.ts";
import { formatCount, formatPercent } from "#lib/platform/format.ts";
import type { Split } from "./split.ts";

/** Input of the health checks. */
export type Circumstances = {
  units: ReadonlyMap<string, number>;
  split: Split;
  handling: "exclude" | "first_seen";
  isRunning: boolean;
  isFlagActive: boolean;
  /** What is counted: "person", or the name of a group type. */
  unit: string;
};

/** Units below which no variant is compared. */
const FEWEST = 50;
/** From this share of units with several variants on, something is wrong with the assignment. */
const MANY_MULTIPLE = 0.005;
/** From this share on, results should not be trusted. */
const TOO_MANY_MULTIPLE = 0.05;

const percent = (share: number) => formatPercent(share, share < 0.01 ? 2 : 1);

/** Variants that had a share in some phase; removed ones do not count. */
const sharedOut = ({ phases }: Split): string[] => {
  const shared = phases.flatMap(({ variants }) => variants.filter((one) => one.rollout_percentage > 0));
  const keys = new Set(shared.map(({ key }) => key));
  return (phases.at(-1)?.variants ?? []).map(({ key }) => key).filter((key) => keys.has(key));
};

function exposureFindings({ units, split, isRunning, unit }: Circumstances): Finding[] {
  const variants = sharedOut(split);
  const total = [...units.values()].reduce((a, b) => a + b, 0);
  if (total === 0)
    return [
      {
        code: "no_exposures",
        severity: isRunning ? "warning" : "info",
        title: "Nobody has been exposed yet",
        what_to_do: "Check that your code evaluates the flag and sends the exposure event.",
      },
    ];
  const missing = variants.filter((key) => !units.get(key));
  if (missing.length > 0 && total >= FEWEST)
    return [
      {
        code: "variant_without_exposures",
        severity: "error",
        title: `Nobody got ${missing.map((key) => `"${key}"`).join(" or ")}`,
        what_to_do: "Check the flag's release conditions, and that your code handles every variant.",
      },
    ];
  const few = variants.filter((key) => (units.get(key) ?? 0) < FEWEST);
  if (few.length === 0) return [];
  return [
    {
      code: "too_few",
      severity: "info",
      title: `Too little data for ${few.map((key) => `"${key}"`).join(", ")}`,
      what_to_do: `A variant needs ${FEWEST} exposed ${unitWord(unit)} to be compared. Let the experiment run.`,
    },
  ];
}

const splitText = (variants: readonly { key: string; rollout_percentage: number }[]) =>
  variants.map(({ key, rollout_percentage }) => `${key} ${plainNumber(rollout_percentage)}%`).join(", ");

/** One finding however often the split was changed: the last change in full, and how many there were. */
function changeFindings({ phases }: Split): Finding[] {
  const [before, after] = phases.slice(-2);
  if (!before || !after) return [];
  const changes = phases.length - 1;
  const often = changes > 1 ? `${changes} times while running, last on` : "while running, on";
  return [
    {
      code: "changed_split",
      severity: "warning",
      title: `The split was changed ${often} ${after.from.toISOString().slice(0, 10)}: from ${splitText(before.variants)} to ${splitText(after.variants)}`,
      what_to_do:
        "The split check uses the shares in force when people were first exposed. The metrics pool everybody, so a variant that got more people later also reflects more of what was different then. For a clean comparison, start a new experiment with the new split.",
    },
  ];
}

function splitFindings({ split }: Circumstances): Finding[] {
  const { all } = split.check;
  if (!all?.mismatch) return changeFindings(split);
  return [
    {
      code: "sample_ratio_mismatch",
      severity: "error",
      title: `People were not split as configured (chance of this by accident: ${all.p_value < 1e-6 ? "under one in a million" : all.p_value.toPrecision(2)})`,
      what_to_do:
        "Do not trust the results. Look for a variant that loses people before the exposure is sent: a crash, a redirect or a bot filter. After a split change, returning people may get another variant and are excluded.",
    },
    ...changeFindings(split),
  ];
}

function multipleFindings({ units, handling, unit }: Circumstances): Finding[] {
  const total = [...units.values()].reduce((a, b) => a + b, 0);
  const multiple = units.get(MULTIPLE) ?? 0;
  const share = total === 0 ? 0 : multiple / total;
  if (share < MANY_MULTIPLE || handling === "first_seen") return [];
  return [
    {
      code: "multiple_variants",
      severity: share >= TOO_MANY_MULTIPLE ? "error" : "warning",
      title: `${formatCount(multiple)} of ${unitCount(total, unit)} (${percent(share)}) got several variants and are excluded`,
      what_to_do:
        "People's ids usually change when they log in: identify them before evaluating the flag, or persist the flag across login.",
    },
  ];
}

const ORDER: Record<Finding["severity"], number> = { error: 0, warning: 1, info: 2 };

/** Problems of an experiment's data and what to do about them, most severe first. */
export function listFindings(seen: Circumstances): Finding[] {
  const findings = [...splitFindings(seen), ...multipleFindings(seen), ...exposureFindings(seen)];
  if (seen.isRunning && !seen.isFlagActive)
    findings.push({
      code: "flag_inactive",
      severity: "warning",
      title: "The flag is off",
      what_to_do: "Nobody new is exposed until you turn it on again.",
    });
  return findings.sort((a, b) => ORDER[a.severity] - ORDER[b.severity]);
}
