import { cn } from "#components/ui/cn.ts";

const TONES: Record<string, string> = {
  GET: "text-info-text",
  POST: "text-success-text",
  PUT: "text-warning-text",
  PATCH: "text-warning-text",
  DELETE: "text-danger-text",
};

/** An HTTP method; always a word, coloured besides. */
export function Method({ method, className }: { method: string; className?: string }) {
  return (
    <span className={cn("shrink-0 font-mono font-semibold text-2xs", TONES[method], className)}>
      {method}
    </span>
  );
}

/** A path with its parameters set apart; it may break after a slash. */
export function PathText({ path }: { path: string }) {
  return path.split(/(?<=\/)/).map((part, place) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a path never move
    <span key={place}>
      <wbr />
      <span className={cn(part.startsWith("{") && "text-accent-text")}>{part}</span>
    </span>
  ));
}
