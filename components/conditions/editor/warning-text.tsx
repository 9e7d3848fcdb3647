import { TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { useFilters, type Warning } from "./filters-context.tsx";

/** Warnings on the filters around here, with their examples. */
export function Warnings({ warnings }: { warnings: readonly Warning[] }) {
  const { showExample } = useFilters();
  return warnings.map(({ message, example }) => (
    <WarningText key={message}>
      {message}{" "}
      {example && showExample ? (
        <button
          type="button"
          className="font-medium text-ink underline underline-offset-2"
          onClick={() => showExample(example)}
        >
          Show an example
        </button>
      ) : null}
    </WarningText>
  ));
}

/** A warning while typing; it does not block saving. */
function WarningText({ children }: { children: ReactNode }) {
  return (
    <p className="flex items-start gap-1.5 text-warning-text text-xs">
      <TriangleAlert aria-hidden="true" className="mt-0.5 size-3.5 shrink-0" />
      <span className="min-w-0 break-words">
        <span className="sr-only">Warning: </span>
        {children}
      </span>
    </p>
  );
}
