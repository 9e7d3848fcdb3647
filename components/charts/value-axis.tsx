import { YAxis } from "recharts";
import { formatTick, type Measure } from "#lib/platform/format.ts";

/** The upright axis of a chart, with its ticks in the measure's words. */
export const ValueAxis = ({
  ticks,
  measure,
  width,
}: {
  ticks: number[];
  measure: Measure;
  width: number;
}) => (
  <YAxis
    width={width}
    allowDataOverflow
    ticks={ticks}
    domain={[ticks[0] ?? 0, ticks.at(-1) ?? 1]}
    tick={{ fontSize: 11, fill: "var(--faint)" }}
    tickFormatter={(value: number) => formatTick(value, measure)}
    tickLine={false}
    axisLine={false}
  />
);
