import { cn } from "#components/ui/cn.ts";
import { variantColor } from "#components/ui/tone.ts";
import { formatShortPercent } from "#lib/platform/format.ts";

type Share = {
  name: string;
  /** Percent of the whole, 0 to 100. */
  percent: number;
  /** Place of the variant in its flag; decides the colour. Defaults to the place in the list. */
  index?: number;
};

type ShareBarProps = {
  shares: readonly Share[];
  /** What is shared out: "Variants of checkout-button". */
  label: string;
  /** `legend` lists names and percentages below; `bar` says them to screen readers and on hover only. */
  kind?: "bar" | "legend";
  className?: string;
};

/** How a whole is divided among variants. What is left to 100 stays empty. */
export function ShareBar({ shares, label, kind = "bar", className }: ShareBarProps) {
  const words = shares.map((share) => `${share.name} ${formatShortPercent(share.percent / 100)}`).join(", ");
  const bar = (
    <span
      role="img"
      aria-label={`${label}: ${words}`}
      title={words}
      className={cn(
        "flex h-2 w-full gap-px overflow-hidden rounded-full bg-pressed",
        kind === "bar" && className,
      )}
    >
      {shares.map((share, place) =>
        share.percent > 0 ? (
          <span
            key={share.name}
            className="h-full min-w-px first:rounded-l-full"
            style={{
              width: `${share.percent}%`,
              backgroundColor: variantColor(share.index ?? place),
            }}
          />
        ) : null,
      )}
    </span>
  );
  if (kind === "bar") return bar;
  return (
    <div className={cn("flex flex-col gap-2", className)}>
      {bar}
      <ul className="flex flex-wrap gap-x-4 gap-y-1 text-xs">
        {shares.map((share, place) => (
          <li key={share.name} className="flex min-w-0 items-center gap-1.5">
            <VariantDot index={share.index ?? place} />
            <span className="truncate text-ink">{share.name}</span>
            <span className="tabular text-muted">{formatShortPercent(share.percent / 100)}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** The colour of a variant; its name is always beside it. */
export function VariantDot({ index, className }: { index: number; className?: string }) {
  return (
    <span
      aria-hidden="true"
      className={cn("inline-block size-2 shrink-0 rounded-full", className)}
      style={{ backgroundColor: variantColor(index) }}
    />
  );
}
