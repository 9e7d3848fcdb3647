import { ArrowUpRight } from "lucide-react";
import type { Route } from "next";
import type { RequestActions } from "#app/project/[project_id]/change_requests/request-actions.ts";
import { DifferencesList } from "#components/kit/editor/differences-list.tsx";
import { Badge } from "#components/ui/display/badge.tsx";
import { Card } from "#components/ui/display/card.tsx";
import { CodeBlock } from "#components/ui/display/code-block.tsx";
import { TextLink } from "#components/ui/text-link.tsx";
import type { ChangeRequest } from "#lib/approvals/change_requests/schema.ts";
import type { Difference } from "#lib/flags/feature_flags/history/differences.ts";
import { PartButtons } from "./part-buttons.tsx";
import { editorOf } from "./request-parts.ts";
import { partImpactInWords } from "./request-words.ts";

/** What a request does to one record, in words. */
export type RecordChange = {
  id: string;
  kind: string;
  name: string;
  /** The page of the record; null where it has none yet. */
  href: string | null;
  verb: string;
  differences: Difference[];
};

/** What a call of a request does, which is known by its place. */
export type RequestPart = { place: number; changes: readonly RecordChange[] };

type Props = {
  projectId: string;
  request: ChangeRequest;
  /** One for each of its calls; what belongs to none of them comes with the first. */
  parts: readonly RequestPart[];
  actions: RequestActions;
};

/** What a request changes, call by call: in words, whom it concerns, and as calls of the API. */
export function RequestChanges({ projectId, request, parts, actions }: Props) {
  const calls = request.intent.changes;
  return (
    <Card
      title="What changes"
      description={parts.length > 1 ? `${parts.length} changes, applied together or not at all.` : undefined}
    >
      <div className="flex flex-col gap-4">
        <ol aria-label="Changes" className="flex flex-col gap-4">
          {parts.map(({ place, changes }) => (
            <li
              key={place}
              className={
                parts.length > 1 ? "flex flex-col gap-3 rounded-lg border p-3" : "flex flex-col gap-3"
              }
            >
              {changes.map((change) => (
                <RecordSection key={change.id} change={change} />
              ))}
              <div className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1">
                <p className="text-muted text-xs">
                  {partImpactInWords(request, request.parts[place]?.flags ?? [])}.
                </p>
                {request.can_revise ? (
                  <PartButtons
                    projectId={projectId}
                    request={{ id: request.id, updated_at: request.updated_at }}
                    place={place}
                    parts={calls.length}
                    editor={editorOf(projectId, request.id, place, calls[place])}
                    name={changes[0]?.name ?? `change ${place + 1}`}
                    actions={actions}
                  />
                ) : null}
              </div>
            </li>
          ))}
        </ol>
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

function RecordSection({ change: { kind, name, href, verb, differences } }: { change: RecordChange }) {
  return (
    <section aria-label={`Changes of ${name}`} className="flex flex-col gap-1.5">
      <h3 className="flex flex-wrap items-center gap-2 text-sm">
        <Badge>{kind}</Badge>
        {href ? (
          <TextLink href={href as Route} className="min-w-0 break-words font-medium">
            {name} <ArrowUpRight aria-hidden="true" className="inline size-3.5" />
          </TextLink>
        ) : (
          <span className="min-w-0 break-words font-medium">{name}</span>
        )}
        <span className="text-muted text-xs">{verb}</span>
      </h3>
      {differences.length > 0 ? (
        <DifferencesList label={`Changes of ${name}`} differences={differences} />
      ) : null}
    </section>
  );
}
