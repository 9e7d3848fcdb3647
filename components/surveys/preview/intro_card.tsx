"use client";

import { useBuilder } from "../builder_context.tsx";
import { textOf } from "../use_put.ts";
import { Box } from "./box.tsx";
import { HtmlText } from "./html_text.tsx";
import { themeOf } from "./theme.ts";

/** What stands before the first question. */
export function IntroCard({ onBegin }: { onBegin: () => void }) {
  const { draft } = useBuilder();
  const appearance = draft.appearance ?? {};
  const theme = themeOf(draft.appearance);
  const description = textOf(appearance.introScreenDescription);
  return (
    <Box label="Welcome">
      <p className="break-words font-semibold text-lg">
        {textOf(appearance.introScreenHeader).trim() || draft.fields.name.trim() || "Welcome"}
      </p>
      {description ? (
        appearance.introScreenDescriptionContentType === "html" ? (
          <HtmlText html={description} className="break-words text-sm [&_a]:underline" />
        ) : (
          <p className="whitespace-pre-line break-words text-sm">{description}</p>
        )
      ) : null}
      <button
        type="button"
        onClick={onBegin}
        style={{ backgroundColor: theme.button, color: theme.buttonText }}
        className="min-h-9 rounded-md px-4 py-1 font-semibold text-sm"
      >
        {textOf(appearance.introScreenButtonText) || "Start"}
      </button>
    </Box>
  );
}
