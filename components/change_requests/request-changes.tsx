import { DifferencesList } from "#components/kit/editor/differences-list.tsx";
import { Badge } from "#components/ui/display/badge.tsx";
import { Card } from "#components/ui/display/card.tsx";
import { CodeBlock } from "#components/ui/display/code-block.tsx";
import type { Difference } from "#lib/flags/feature_flags/history/differences.ts";

/** What a request does to one record, in words. */
export type RecordChange = {
  id: string;
  kind: string;
  name: string;
  verb: string;
  differences: Difference[];
};

type Props = { changes: readonly RecordChange[]; calls: readonly unknown[] };

/** What a request changes, in words and as the calls that it makes. */
export function RequestChanges({ changes, calls }: Props) {
  return (
    <Card title="What changes">
      <div className="flex flex-col gap-4">
        {changes.map(({ id, kind, name, verb, differences }) => (
          <section key={id} aria-label={`Changes of ${name}`} className="flex flex-col gap-1.5">
            <h3 className="flex flex-wrap items-center gap-2 text-sm">
              <Badge>{kind}</Badge>
              <span className="min-w-0 break-words font-medium">{name}</span>
              <span className="text-muted text-xs">{verb}</span>
            </h3>
            {differences.length > 0 ? (
              <DifferencesList label={`Changes of ${name}`} differences={differences} />
            ) : null}
          </section>
        ))}
        <details className="text-xs">
          <summary className="cursor-pointer rounded-xs text-faint hover:text-ink">
            As calls of the API
          </summary>
          <CodeBlock className="mt-1.5" label="Calls of the API" code={JSON.stringify(calls, null, 2)} wrap />
        </details>
      </div>
    </Card>
  );
}
