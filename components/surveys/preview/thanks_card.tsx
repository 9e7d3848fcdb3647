"use client";

import { useBuilder } from "../builder_context.tsx";
import { Box } from "./box.tsx";
import { HtmlText } from "./html_text.tsx";
import { themeOf } from "./theme.ts";

const text = (value: unknown, otherwise = ""): string => (typeof value === "string" ? value : otherwise);

/** What stands at the end of a survey. */
export function ThanksCard() {
  const { draft, answer } = useBuilder();
  const appearance = draft.appearance ?? {};
  const theme = themeOf(draft.appearance);
  if (appearance.displayThankYouMessage === false)
    return <p className="text-center text-muted text-sm">The survey closes without a message.</p>;
  const description = text(appearance.thankYouMessageDescription);
  return (
    <Box label="Thanks">
      <p className="break-words font-semibold text-lg">
        {text(appearance.thankYouMessageHeader, "Thank you for your feedback!")}
      </p>
      {description ? (
        appearance.thankYouMessageDescriptionContentType === "html" ? (
          <HtmlText html={description} className="break-words text-sm [&_a]:underline" />
        ) : (
          <p className="break-words text-sm">{description}</p>
        )
      ) : null}
      <button
        type="button"
        onClick={() => answer([])}
        style={{ backgroundColor: theme.button, color: theme.buttonText }}
        className="h-9 rounded-md px-4 font-semibold text-sm"
      >
        {text(appearance.thankYouMessageCloseButtonText) || "Close"}
      </button>
    </Box>
  );
}
