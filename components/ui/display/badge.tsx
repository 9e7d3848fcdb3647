import {
  Archive,
  CircleCheck,
  CircleDashed,
  CircleDot,
  CirclePause,
  CircleX,
  Clock,
  Hourglass,
  type LucideIcon,
  X,
} from "lucide-react";
import type { ReactNode } from "react";
import { cn } from "#components/ui/cn.ts";
import { softTone, type Tone, textTone } from "#components/ui/tone.ts";

type BadgeProps = {
  tone?: Tone;
  icon?: LucideIcon;
  title?: string;
  className?: string;
  children: ReactNode;
};

/** A short tinted word: kind, runtime, "new". */
export function Badge({ tone = "neutral", icon: Icon, className, children, title }: BadgeProps) {
  return (
    <span
      title={title}
      className={cn(
        "inline-flex h-5 max-w-full items-center gap-1 whitespace-nowrap rounded-sm border px-1.5 font-medium text-2xs",
        softTone[tone],
        className,
      )}
    >
      {Icon ? <Icon aria-hidden="true" className="size-3 shrink-0" /> : null}
      <span className="truncate">{children}</span>
    </span>
  );
}

const statuses = {
  active: { tone: "success", icon: CircleCheck, word: "Active" },
  inactive: { tone: "neutral", icon: CirclePause, word: "Inactive" },
  stale: { tone: "warning", icon: Hourglass, word: "Stale" },
  draft: { tone: "neutral", icon: CircleDashed, word: "Draft" },
  running: { tone: "success", icon: CircleDot, word: "Running" },
  paused: { tone: "warning", icon: CirclePause, word: "Paused" },
  scheduled: { tone: "info", icon: Clock, word: "Scheduled" },
  complete: { tone: "info", icon: CircleCheck, word: "Complete" },
  stopped: { tone: "neutral", icon: CircleX, word: "Stopped" },
  archived: { tone: "neutral", icon: Archive, word: "Archived" },
  deleted: { tone: "danger", icon: CircleX, word: "Deleted" },
} satisfies Record<string, { tone: Tone; icon: LucideIcon; word: string }>;

type StatusName = keyof typeof statuses;

type StatusProps = {
  status: StatusName;
  /** Why, for a hover: "All conditions at 100% for 45 days". Say it in the page too. */
  reason?: string;
  /** Replaces the usual word. */
  children?: ReactNode;
  className?: string;
};

/** The status of a flag, experiment, survey or key: a sign and a word, so that colour is not the only signal. */
export function Status({ status, reason, children, className }: StatusProps) {
  const { tone, icon: Icon, word } = statuses[status];
  return (
    <span
      title={reason}
      className={cn(
        "inline-flex items-center gap-1.5 whitespace-nowrap font-medium text-xs",
        textTone[tone],
        className,
      )}
    >
      <Icon aria-hidden="true" className="size-3.5 shrink-0" />
      {children ?? word}
    </span>
  );
}

type TagProps = {
  children: string;
  /** Gives the chip a remove button. */
  onRemove?: () => void;
  className?: string;
};

/** A tag, or any value that someone typed. */
export function Tag({ children, onRemove, className }: TagProps) {
  return (
    <span
      className={cn(
        "inline-flex h-5 max-w-full items-center rounded-sm bg-hover px-1.5 text-muted text-xs ring-1 ring-line ring-inset",
        onRemove && "pr-0",
        className,
      )}
    >
      <span className="truncate">{children}</span>
      {onRemove ? (
        <button
          type="button"
          aria-label={`Remove ${children}`}
          onClick={onRemove}
          className="focus-inset ml-0.5 grid size-5 shrink-0 place-items-center rounded-sm text-faint hover:bg-pressed hover:text-ink"
        >
          <X aria-hidden="true" className="size-3" />
        </button>
      ) : null}
    </span>
  );
}
