"use client";

import { languagesOf, languageWord } from "#components/surveys/draft/languages.ts";
import { Button } from "#components/ui/button.tsx";
import { useBuilder } from "./builder-context.tsx";

/** The languages the survey is translated to, and where to edit them. */
export function LanguagesNote() {
  const { draft, show } = useBuilder();
  const languages = languagesOf(draft);
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 rounded-md bg-sunken px-3 py-2 text-muted text-xs">
      <p className="min-w-0 flex-1 basis-64">
        {languages.length > 0 ? (
          <>
            Also in <span className="text-ink">{languages.map(languageWord).join(", ")}</span>. Edit other
            languages as JSON.
          </>
        ) : (
          <>
            Write other languages as JSON: <code className="font-mono">translations</code> of each question
            and of the appearance.
          </>
        )}
      </p>
      <Button size="sm" variant="ghost" onClick={() => show("json")}>
        Open the JSON
      </Button>
    </div>
  );
}
