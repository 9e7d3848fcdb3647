"use client";

import { CartesianGrid, ComposedChart, Line, ReferenceDot, ReferenceLine, XAxis, YAxis } from "recharts";
import { ChartFigure } from "#components/charts/figure.tsx";
import { type PlanInput, plannedPower } from "#lib/engines/statistics/planning/planning.ts";
import { formatCount, formatShortPercent } from "#lib/platform/format.ts";

const POINTS = 40;
const HEIGHT = 220;
const percent = (fraction: number, digits = 1) => formatShortPercent(fraction, digits);

type Props = {
  input: PlanInput;
  /** People of all variants together. */
  sample: number;
  /** The effect that is planned for, a fraction; below 0 for a metric that should fall. */
  effect: number;
  /** The spread is assumed, not measured. */
  isRuleOfThumb: boolean;
};

/** The chance to find an effect with the planned number of people, for effects smaller and larger than planned. */
export function PowerCurve({ input, sample, effect: signed, isRuleOfThumb }: Props) {
  const effect = Math.abs(signed);
  const powerAt = (size: number) => plannedPower(input, Math.sign(signed) * size, sample);
  const curve = Array.from({ length: POINTS + 1 }, (_, i) => (2 * effect * i) / POINTS).flatMap((size) => {
    const power = powerAt(size);
    return power === null ? [] : [{ relative_effect: size, power }];
  });
  const planned = powerAt(effect) ?? 0;
  const half = powerAt(effect / 2) ?? 0;
  return (
    <ChartFigure
      title="Chance of detecting an effect"
      caption={`${isRuleOfThumb ? "Assuming the variance of the rule of thumb: with " : "With "}${formatCount(sample)} people, an effect of ${percent(effect)} is detected in ${percent(planned, 0)} of experiments, one half as large in ${percent(half, 0)}.`}
      height={HEIGHT}
      table={{
        columns: [
          { label: "True effect", numeric: true },
          { label: "Chance of detecting it", numeric: true },
        ],
        rows: curve
          .filter((_, index) => index % 4 === 0)
          .map(({ relative_effect, power }) => [
            { text: percent(relative_effect, 2), value: relative_effect },
            { text: percent(power), value: power },
          ]),
      }}
    >
      {(width) => (
        <ComposedChart
          width={width}
          height={HEIGHT}
          data={curve}
          margin={{ top: 8, right: 12, bottom: 0, left: 0 }}
          accessibilityLayer={false}
        >
          <CartesianGrid vertical={false} stroke="var(--line)" />
          <XAxis
            type="number"
            dataKey="relative_effect"
            domain={[0, 2 * effect]}
            ticks={[0, effect / 2, effect, 1.5 * effect, 2 * effect]}
            tickFormatter={(value: number) => percent(value, 2)}
            tick={{ fontSize: 11, fill: "var(--muted)" }}
            tickLine={false}
            axisLine={{ stroke: "var(--line-strong)" }}
            height={24}
          />
          <YAxis
            width={44}
            domain={[0, 1]}
            ticks={[0, 0.25, 0.5, 0.8, 1]}
            tickFormatter={(value: number) => percent(value, 0)}
            tick={{ fontSize: 11, fill: "var(--faint)" }}
            tickLine={false}
            axisLine={false}
          />
          <ReferenceLine y={0.8} stroke="var(--line-strong)" strokeDasharray="4 4" />
          <ReferenceLine x={effect} stroke="var(--line-strong)" strokeDasharray="4 4" />
          <Line
            dataKey="power"
            stroke="var(--accent)"
            strokeWidth={2}
            dot={false}
            isAnimationActive={false}
          />
          <ReferenceDot x={effect} y={planned} r={4} fill="var(--accent)" stroke="var(--surface)" />
        </ComposedChart>
      )}
    </ChartFigure>
  );
}
