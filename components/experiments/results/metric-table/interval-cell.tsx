import type { MetricResult } from "#components/experiments/results/model.ts";
import { variantColor } from "#components/ui/tone.ts";

export type Scale = { low: number; high: number };

/** Room that every interval of a table fits in, zero included, so that all rows share one scale. */
export function computeScale(metrics: readonly MetricResult[]): Scale {
  const ends = metrics.flatMap(({ variants }) =>
    variants.flatMap(({ estimate }) => estimate?.interval ?? []),
  );
  const widest = Math.max(...ends.map(Math.abs), 0) || 0.01;
  return { low: Math.min(-widest * 0.15, ...ends), high: Math.max(widest * 0.15, ...ends) };
}

type IntervalCellProps = {
  estimate: { effect: number; interval: readonly number[] };
  scale: Scale;
  /** Place of the variant in its flag: decides the colour. */
  colorIndex: number;
};

/** An interval drawn to the table's scale. The figures are beside it, so it is hidden from screen readers. */
export function IntervalCell({ estimate, scale, colorIndex }: IntervalCellProps) {
  const percent = (value: number) =>
    3 + 94 * ((Math.min(scale.high, Math.max(scale.low, value)) - scale.low) / (scale.high - scale.low));
  const [low = 0, high = 0] = estimate.interval;
  const color = variantColor(colorIndex);
  const leavesZero = low > 0 || high < 0;
  return (
    <div aria-hidden="true" className="relative h-7 w-full min-w-40 print:min-w-24">
      <div className="absolute inset-y-0 w-px bg-line-strong" style={{ left: `${percent(0)}%` }} />
      <div
        className="absolute top-1/2 h-2 -translate-y-1/2 rounded-full opacity-30"
        style={{
          left: `${percent(low)}%`,
          width: `${percent(high) - percent(low)}%`,
          backgroundColor: color,
        }}
      />
      {[low, high].map((bound) => (
        <div
          key={bound}
          className="absolute top-1/2 h-3 w-0.5 -translate-x-1/2 -translate-y-1/2 rounded-full"
          style={{ left: `${percent(bound)}%`, backgroundColor: color }}
        />
      ))}
      <div
        className="absolute top-1/2 size-2.5 -translate-x-1/2 -translate-y-1/2 rounded-full border-2"
        style={{
          left: `${percent(estimate.effect)}%`,
          borderColor: color,
          backgroundColor: leavesZero ? color : "var(--surface)",
        }}
      />
    </div>
  );
}
