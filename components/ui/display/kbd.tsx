import { Fragment } from "react";
import { cn } from "#components/ui/cn.ts";

type KbdProps = {
  /** A key sequence, separated by spaces: `"g f"`. A chord is joined by plus: `"mod+k"`. */
  keys: string;
  inverse?: boolean;
  className?: string;
};

const names: Record<string, string> = {
  mod: "Ctrl",
  shift: "⇧",
  enter: "↵",
  esc: "Esc",
  up: "↑",
  down: "↓",
};

/** Keys as caps. `mod` reads Ctrl, and ⌘ on Apple machines (the frame marks the document). */
export function Kbd({ keys, inverse = false, className }: KbdProps) {
  const cap = cn(
    "inline-grid h-[1.125rem] min-w-[1.125rem] place-items-center rounded-xs border px-1 font-sans text-2xs leading-none",
    inverse ? "border-on-inverse/25 text-on-inverse/80" : "border-line-strong bg-surface text-faint",
  );
  return (
    <span className={cn("inline-flex items-center gap-0.5 pointer-coarse:hidden", className)}>
      {keys.split(" ").map((step) => (
        <Fragment key={step}>
          {step.split("+").map((key) => (
            <kbd key={key} className={cap}>
              {key === "mod" ? <ModKey /> : (names[key] ?? key.toUpperCase())}
            </kbd>
          ))}
        </Fragment>
      ))}
    </span>
  );
}

function ModKey() {
  return (
    <>
      <span className="in-data-[platform=apple]:hidden">Ctrl</span>
      <span className="not-in-data-[platform=apple]:hidden">⌘</span>
    </>
  );
}
