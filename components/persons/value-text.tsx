const LONGEST = 120;

/** The value of a property; `wide` where there is room for all of it. */
export function ValueText({ value, wide = false }: { value: unknown; wide?: boolean }) {
  if (value === undefined) return <span className="text-faint">–</span>;
  if (value === null) return <span className="text-faint">null</span>;
  if (typeof value === "boolean") return <span className="text-muted">{value ? "true" : "false"}</span>;
  if (typeof value === "number") return <span className="tabular">{String(value)}</span>;
  const text = typeof value === "string" ? value : JSON.stringify(value, null, wide ? 2 : 0);
  if (typeof value !== "string")
    return (
      <code className="whitespace-pre-wrap break-words font-mono text-xs">
        {wide ? text : shortened(text)}
      </code>
    );
  return <span className="break-words">{wide ? text : shortened(text)}</span>;
}

const shortened = (text: string) => (text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);
