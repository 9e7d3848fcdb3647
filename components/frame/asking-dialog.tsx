"use client";

import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useId, useState } from "react";
import { endAsking } from "#components/kit/session.ts";
import { Button } from "#components/ui/button.tsx";
import { Dialog } from "#components/ui/overlay/dialog.tsx";
import { ApiKeyField } from "./api-key-field.tsx";

/** Checks a key and starts a session with it; the problem, if there is one. */
export type SignInAgain = (key: string) => Promise<string | undefined>;

const NO_ANSWER = "The service did not respond. Try again.";

/** Asks for a key over the page. */
export function AskingDialog({ email, signInAgain }: { email: string; signInAgain: SignInAgain }) {
  const queries = useQueryClient();
  const form = useId();
  const [problem, setProblem] = useState<string>();
  const [pending, setPending] = useState(false);
  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    event.stopPropagation();
    if (pending) return;
    const key = String(new FormData(event.currentTarget).get("api_key") ?? "");
    setPending(true);
    const found = await signInAgain(key).catch(() => NO_ANSWER);
    setPending(false);
    setProblem(found);
    if (found !== undefined) return;
    endAsking(true);
    void queries.invalidateQueries();
  }
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && endAsking(false)}
      size="sm"
      title="Sign in to continue"
      description={`Your session has ended. Sign in as ${email}: nothing on this page is lost, and what you were saving will be saved.`}
      footer={
        <>
          <Button onClick={() => endAsking(false)}>Cancel</Button>
          <Button type="submit" form={form} variant="primary" loading={pending}>
            Sign in
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={(event) => void submit(event)}>
        <ApiKeyField error={problem} />
      </form>
    </Dialog>
  );
}
