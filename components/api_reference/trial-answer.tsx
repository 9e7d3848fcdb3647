import { CircleCheck, CircleX } from "lucide-react";
import { cn } from "#components/ui/cn.ts";
import { CodeBlock } from "#components/ui/display/code-block.tsx";
import type { Tried } from "#lib/app/session/try-it.ts";
import { formatCount, formatNumber } from "#lib/platform/format.ts";

/** The response to a trial call. */
export function TrialAnswer({ answer }: { answer: Tried }) {
  const good = answer.status < 400;
  const Icon = good ? CircleCheck : CircleX;
  const size = answer.cut_from ?? answer.body.length;
  return (
    <section aria-label="Response" className="flex min-w-0 flex-col gap-2">
      <p role="status" className="flex flex-wrap items-center gap-x-3 text-sm">
        <span
          className={cn(
            "tabular inline-flex items-center gap-1.5 font-semibold",
            good ? "text-success-text" : "text-danger-text",
          )}
        >
          <Icon aria-hidden="true" className="size-4" />
          {answer.status}
        </span>
        <span className="tabular text-muted text-xs">
          {formatNumber(Number(answer.ms.toFixed(answer.ms < 10 ? 1 : 0)))} ms
        </span>
        <span className="tabular text-muted text-xs">{formatCount(size)} characters</span>
      </p>
      {answer.body ? (
        <CodeBlock title="Body" code={pretty(answer.body)} />
      ) : (
        <p className="text-muted text-xs">The response has no body.</p>
      )}
      {answer.cut_from ? (
        <p className="text-muted text-xs">
          {`Only the first ${formatCount(answer.body.length)} characters are shown.`}
        </p>
      ) : null}
      <details className="text-xs">
        <summary className="w-fit rounded-sm text-muted hover:text-ink">
          {answer.headers.length} headers
        </summary>
        <dl className="mt-1.5 grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 gap-y-0.5 font-mono text-2xs">
          {answer.headers.map(([name, value]) => (
            <div key={name} className="contents">
              <dt className="text-faint">{name}</dt>
              <dd className="break-all">{value}</dd>
            </div>
          ))}
        </dl>
      </details>
    </section>
  );
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
