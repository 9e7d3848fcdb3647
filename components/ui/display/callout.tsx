import { CircleCheck, CircleX, Info, type LucideIcon, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { cn } from "#components/ui/cn.ts";

type CalloutTone = "info" | "warning" | "danger" | "success";

const looks: Record<CalloutTone, { icon: LucideIcon; box: string; sign: string; word: string }> = {
  info: {
    icon: Info,
    box: "border-info-line bg-info-soft",
    sign: "text-info-text",
    word: "Note",
  },
  warning: {
    icon: TriangleAlert,
    box: "border-warning-line bg-warning-soft",
    sign: "text-warning-text",
    word: "Warning",
  },
  danger: {
    icon: CircleX,
    box: "border-danger-line bg-danger-soft",
    sign: "text-danger-text",
    word: "Problem",
  },
  success: {
    icon: CircleCheck,
    box: "border-success-line bg-success-soft",
    sign: "text-success-text",
    word: "Done",
  },
};

type CalloutProps = {
  tone?: CalloutTone;
  title?: ReactNode;
  children?: ReactNode;
  actions?: ReactNode;
  /** Read out when it appears after the page has loaded. */
  live?: boolean;
  className?: string;
};

/** Something to know before going on. */
export function Callout({ tone = "info", title, children, actions, live = false, className }: CalloutProps) {
  const { icon: Icon, box, sign, word } = looks[tone];
  return (
    <div
      role={live ? (tone === "danger" ? "alert" : "status") : undefined}
      className={cn("flex gap-2.5 rounded-lg border px-3 py-2.5 text-sm", box, className)}
    >
      <Icon aria-hidden="true" className={cn("mt-0.5 size-4 shrink-0", sign)} />
      <div className="min-w-0 flex-1">
        <span className="sr-only">{word}: </span>
        {title ? <p className="font-medium text-ink">{title}</p> : null}
        {children ? <div className="text-muted">{children}</div> : null}
        {actions ? <div className="mt-2 flex flex-wrap gap-2">{actions}</div> : null}
      </div>
    </div>
  );
}
