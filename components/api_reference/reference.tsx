"use client";

import { useEffect, useState } from "react";
import { EmptyState } from "#components/ui/display/empty-state.tsx";
import { SearchInput } from "#components/ui/form/input.tsx";
import { RowKeys } from "#components/ui/row-keys.tsx";
import { fits, type Reference as Model } from "#lib/app/api_reference/document.ts";
import type { ReferenceContext, TryIt } from "./context.ts";
import { OperationCard } from "./operation-card.tsx";
import { ReferenceIndex } from "./reference-index.tsx";

type Props = { reference: Model; context: ReferenceContext; tryIt: TryIt };

/** Every endpoint under its tag, with an index beside it; `#operation` leads to one and opens it. */
export function Reference({ reference, context, tryIt }: Props) {
  const [search, setSearch] = useState("");
  const { open, setOpen, here } = useOpen();
  const groups = reference.groups
    .map((group) => ({ ...group, operations: group.operations.filter((each) => fits(each, search.trim())) }))
    .filter((group) => group.operations.length > 0);
  return (
    <div className="lg:grid lg:grid-cols-[15rem_minmax(0,1fr)] lg:gap-8">
      <div className="flex min-h-0 flex-col gap-3 self-start max-lg:mb-4 lg:sticky lg:top-6 lg:max-h-[calc(100dvh-3rem)]">
        <SearchInput
          label="Search endpoints"
          placeholder="Search endpoints"
          value={search}
          onValueChange={setSearch}
        />
        <ReferenceIndex groups={groups} here={here} />
      </div>
      <RowKeys noun="endpoint">
        <div className="flex flex-col gap-6">
          {groups.map((group) => (
            <section key={group.tag} aria-labelledby={`tag-${group.tag}`}>
              <h2 id={`tag-${group.tag}`} className="mb-2 font-semibold text-base">
                {group.tag}
              </h2>
              <ul className="divide-y overflow-clip rounded-lg border bg-surface shadow-card">
                {group.operations.map((operation) => (
                  <OperationCard
                    key={operation.id}
                    operation={operation}
                    schemas={reference.schemas}
                    context={context}
                    tryIt={tryIt}
                    open={open.has(operation.id)}
                    onOpenChange={(next) => setOpen(operation.id, next)}
                  />
                ))}
              </ul>
            </section>
          ))}
          {groups.length === 0 ? (
            <EmptyState title="No endpoints found">
              {`No path or summary contains all the words of “${search.trim()}”.`}
            </EmptyState>
          ) : null}
        </div>
      </RowKeys>
    </div>
  );
}

/** Which endpoints are open; the one in the URL opens by itself. */
function useOpen() {
  const [open, setAll] = useState<ReadonlySet<string>>(new Set());
  const [here, setHere] = useState("");
  const setOpen = (id: string, next: boolean) =>
    setAll((before) => new Set(next ? [...before, id] : [...before].filter((each) => each !== id)));
  useEffect(() => {
    const follow = () => {
      const id = decodeURIComponent(window.location.hash.slice(1));
      setHere(id);
      if (!id) return;
      setAll((before) => new Set([...before, id]));
      requestAnimationFrame(() => document.getElementById(id)?.scrollIntoView({ block: "start" }));
    };
    follow();
    window.addEventListener("hashchange", follow);
    return () => window.removeEventListener("hashchange", follow);
  }, []);
  return { open, setOpen, here };
}
