type Props = {
  values: readonly number[];
  /** What it shows, in words with its figures: a sparkline is a picture. */
  label: string;
};

const WIDTH = 72;
const HEIGHT = 20;
const INSET = 2;

/** A line of a few figures, the size of a word. Its scale starts at 0. */
export function Sparkline({ values, label }: Props) {
  const most = Math.max(1, ...values);
  const step = values.length > 1 ? (WIDTH - 2 * INSET) / (values.length - 1) : 0;
  const points = values.map((value, place) => {
    const y = HEIGHT - INSET - (value / most) * (HEIGHT - 2 * INSET);
    return `${(INSET + place * step).toFixed(1)},${y.toFixed(1)}`;
  });
  const last = points.at(-1)?.split(",") ?? ["0", "0"];
  return (
    <svg
      role="img"
      aria-label={label}
      width={WIDTH}
      height={HEIGHT}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      className="shrink-0 text-accent-text"
    >
      <title>{label}</title>
      <polyline
        points={points.join(" ")}
        fill="none"
        stroke="currentColor"
        strokeWidth={1.5}
        strokeLinejoin="round"
      />
      <circle cx={last[0]} cy={last[1]} r={1.75} fill="currentColor" />
    </svg>
  );
}
