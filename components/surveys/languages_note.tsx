"use client";

import { Button } from "#components/ui/button.tsx";
import { useBuilder } from "./builder_context.tsx";
import { languagesOf, languageWord } from "./languages.ts";

/** Which languages the survey speaks beside its own, and where they are written. */
export function LanguagesNote() {
  const { draft, show } = useBuilder();
  const languages = languagesOf(draft);
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 rounded-md bg-sunken px-3 py-2 text-muted text-xs">
      <p className="min-w-0 flex-1 basis-64">
        {languages.length > 0 ? (
          <>
            Also in <span className="text-ink">{languages.map(languageWord).join(", ")}</span>. Other
            languages are edited as JSON.
          </>
        ) : (
          <>
            Other languages are written as JSON: <code className="font-mono">translations</code> of each
            question and of the appearance.
          </>
        )}
      </p>
      <Button size="sm" variant="ghost" onClick={() => show("json")}>
        Open the JSON
      </Button>
    </div>
  );
}
