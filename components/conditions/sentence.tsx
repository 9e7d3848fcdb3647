import type { Token } from "#lib/people/conditions/words.ts";

/** Tokens as a sentence: what people typed stands out from the words around it. */
export function Sentence({ tokens, className }: { tokens: readonly Token[]; className?: string }) {
  return (
    <span className={className}>
      {tokens.map((token, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a sentence has no other identity
        <span key={place}>
          {place > 0 ? " " : ""}
          {token.kind === "value" ? (
            <span className="break-words font-medium text-ink">{token.text}</span>
          ) : (
            token.text
          )}
        </span>
      ))}
    </span>
  );
}
