import { cn } from "#components/ui/cn.ts";
import { CopyButton } from "#components/ui/copy-button.tsx";

type CodeBlockProps = {
  code: string;
  /** Shown above the code: a file name or a language. */
  title?: string;
  /** What it is, for screen readers. */
  label?: string;
  wrap?: boolean;
  className?: string;
};

/** Code to read and copy. */
export function CodeBlock({ code, title, label = title ?? "Code", wrap = false, className }: CodeBlockProps) {
  return (
    <div className={cn("relative overflow-hidden rounded-lg border bg-sunken", className)}>
      {title ? (
        <div className="flex h-9 items-center justify-between border-b pr-1 pl-3 text-muted text-xs">
          {title}
          <CopyButton text={code} label={`Copy ${label}`} />
        </div>
      ) : (
        <div className="absolute top-1 right-1 rounded-md bg-sunken">
          <CopyButton text={code} label={`Copy ${label}`} />
        </div>
      )}
      <section
        aria-label={label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard has to reach what scrolls
        tabIndex={0}
        className="focus-inset max-h-[30rem] overflow-auto p-3 scroll-thin"
      >
        <pre
          className={cn(
            "font-mono text-xs",
            wrap ? "whitespace-pre-wrap break-words" : "whitespace-pre",
            !title && "pr-8",
          )}
        >
          <code>{code}</code>
        </pre>
      </section>
    </div>
  );
}

/** Code within a sentence. */
export function Code({ children }: { children: string }) {
  return (
    <code className="break-words rounded-xs bg-hover px-1 py-px font-mono text-[0.92em] text-ink">
      {children}
    </code>
  );
}
