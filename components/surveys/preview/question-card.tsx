"use client";

import { useState } from "react";
import type { QuestionDraft } from "#components/surveys/draft/draft.ts";
import { lengthsOf } from "#lib/surveys/surveys/questions/question_kinds/open.ts";
import { useBuilder } from "#components/surveys/editing/builder-context.tsx";
import { AnswerBox } from "./answer-box.tsx";
import { Box } from "./box.tsx";
import { HtmlText } from "./html-text.tsx";
import { themeOf } from "./theme.ts";

const text = (value: unknown): string => (typeof value === "string" ? value : "");

/** Why an answer cannot be sent yet; null if it can. */
function missing({ raw }: QuestionDraft, response: unknown): string | null {
  const empty = response === null || response === "" || (Array.isArray(response) && response.length === 0);
  if (empty) return raw.optional === true || raw.type === "link" ? null : "An answer is needed.";
  if (raw.type !== "open" || typeof response !== "string") return null;
  const { least, most } = lengthsOf(raw.validation);
  if (least !== null && response.length < least) return `At least ${least} characters.`;
  return most !== null && response.length > most ? `At most ${most} characters.` : null;
}

/** One question as respondents see it. */
export function QuestionCard({ uid }: { uid: string }) {
  const { draft, replay, answer } = useBuilder();
  const [response, setResponse] = useState<unknown>(null);
  const question = draft.questions.find((each) => each.uid === uid);
  if (!question) return null;
  const { raw } = question;
  const theme = themeOf(draft.appearance);
  const isLink = raw.type === "link";
  const why = missing(question, response);
  const send = (given: unknown) => answer([...replay.given, { uid, response: given === "" ? null : given }]);
  const quick =
    raw.skipSubmitButton === true &&
    (raw.type === "rating" || (raw.type === "single_choice" && raw.hasOpenChoice !== true));
  const description = text(raw.description);
  return (
    <Box label="Question">
      <p className="break-words font-semibold">{raw.question.trim() || "What do you ask?"}</p>
      {description ? (
        raw.descriptionContentType === "html" ? (
          <HtmlText html={description} className="break-words text-sm [&_a]:underline" />
        ) : (
          <p style={{ color: theme.subtle }} className="-mt-2 whitespace-pre-line break-words text-sm">
            {description}
          </p>
        )
      ) : null}
      <AnswerBox
        question={question}
        theme={theme}
        placeholder={text(draft.appearance?.placeholder)}
        value={response}
        onValueChange={(next) => {
          setResponse(next);
          if (quick && next !== null) send(next);
        }}
      />
      <div className="flex gap-2 empty:hidden">
        <GoBack />
        {quick && !raw.optional ? null : (
          <button
            type="button"
            aria-disabled={why !== null}
            title={why ?? undefined}
            onClick={() => why === null && send(isLink ? "link clicked" : response)}
            style={{ backgroundColor: theme.button, color: theme.buttonText }}
            className="min-h-9 min-w-0 flex-1 break-words rounded-md px-4 py-1 font-semibold text-sm aria-disabled:cursor-not-allowed aria-disabled:opacity-60"
          >
            {text(raw.buttonText) || text(draft.appearance?.submitButtonText) || "Submit"}
          </button>
        )}
      </div>
    </Box>
  );
}

/** Leads to the question before, where the survey lets people go back. */
function GoBack() {
  const { draft, replay, answer } = useBuilder();
  if (draft.appearance?.allowGoBack !== true || replay.given.length === 0) return null;
  const theme = themeOf(draft.appearance);
  return (
    <button
      type="button"
      onClick={() => answer(replay.given.slice(0, -1))}
      style={{ borderColor: theme.border, color: theme.text }}
      className="min-h-9 rounded-md border px-3 py-1 text-sm"
    >
      {text(draft.appearance.backButtonText) || "Back"}
    </button>
  );
}
