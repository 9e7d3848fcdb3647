import type { MarkPlace } from "./rows/row-drawing.tsx";

/** A bar that starts at `from`, rounded at its far end. */
export function BarMark({
  from = 0,
  value,
  color,
  place,
}: {
  from?: number;
  value: number;
  color: string;
  place: MarkPlace;
}) {
  const start = place.x(from);
  const end = place.x(value);
  const width = Math.abs(end - start);
  return (
    <rect
      x={Math.min(start, end)}
      y={place.y - place.height / 2}
      width={value === from ? 0 : Math.max(1.5, width)}
      height={place.height}
      rx={Math.min(3, width / 2)}
      fill={color}
    />
  );
}

const CAP = 4;

/** An interval: a line with caps. Over a bar it is drawn twice, so that it reads on the bar and beside it. */
export function Whisker({
  interval,
  place,
  color = "var(--ink)",
  strong = false,
}: {
  interval: readonly [number, number];
  place: MarkPlace;
  color?: string;
  strong?: boolean;
}) {
  const [low, high] = [place.x(interval[0]), place.x(interval[1])];
  const path = `M${low} ${place.y}H${high}M${low} ${place.y - CAP}V${place.y + CAP}M${high} ${place.y - CAP}V${place.y + CAP}`;
  return (
    <>
      <path
        d={path}
        fill="none"
        stroke="var(--surface)"
        strokeWidth={strong ? 4.5 : 3.5}
        strokeOpacity={0.85}
      />
      <path d={path} fill="none" stroke={color} strokeWidth={strong ? 2 : 1.25} />
    </>
  );
}

const SHAPES = [
  (x: number, y: number, r: number) =>
    `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0Z`,
  (x: number, y: number, r: number) => `M${x - r} ${y - r}h${2 * r}v${2 * r}h${-2 * r}Z`,
  (x: number, y: number, r: number) => `M${x} ${y - r * 1.2}L${x + r * 1.15} ${y + r}H${x - r * 1.15}Z`,
  (x: number, y: number, r: number) =>
    `M${x} ${y - r * 1.3}L${x + r * 1.3} ${y}L${x} ${y + r * 1.3}L${x - r * 1.3} ${y}Z`,
] as const;

/** A dot whose form follows its place: circle, square, triangle, diamond. Hollow where `open`. */
export function Dot({
  x,
  y,
  radius,
  shape,
  color,
  open = false,
  className,
}: {
  x: number;
  y: number;
  radius: number;
  shape: number;
  color: string;
  open?: boolean;
  className?: string;
}) {
  const draw = SHAPES[shape % SHAPES.length] ?? SHAPES[0];
  return (
    <path
      d={draw(x, y, radius)}
      className={className}
      fill={open ? "var(--surface)" : color}
      stroke={open ? color : "var(--surface)"}
      strokeWidth={open ? 2 : 1.25}
    />
  );
}
