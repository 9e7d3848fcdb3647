import { scopeSummary } from "#lib/personal_api_keys/scope_words.ts";

const SHOWN = 3;

/** Scopes in words: what the key may change, and what it may only read. */
export function ScopeText({ scopes }: { scopes: readonly string[] }) {
  return (
    <span className="flex flex-col text-xs">
      {scopeSummary(scopes).map(({ deed, objects }) => (
        <span key={deed} title={objects.join(", ")} className="text-pretty">
          <span className="text-faint">{deed}</span>{" "}
          <span className={deed === "Read" ? "text-muted" : "text-ink"}>
            {objects.slice(0, objects.length > SHOWN + 1 ? SHOWN : undefined).join(", ")}
          </span>
          {objects.length > SHOWN + 1 ? (
            <span className="text-faint"> and {objects.length - SHOWN} more</span>
          ) : null}
        </span>
      ))}
    </span>
  );
}
