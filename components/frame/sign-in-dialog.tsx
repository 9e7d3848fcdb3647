"use client";

import { useEffect } from "react";
import { askToSignIn, offerSignIn, useSessionState } from "#components/kit/session.ts";
import { later } from "#components/ui/after-page.ts";
import { Button } from "#components/ui/button.tsx";
import { Callout } from "#components/ui/display/callout.tsx";
import type { SignInAgain } from "./asking-dialog.tsx";

const AskingDialog = later(async () => (await import("./asking-dialog.tsx")).AskingDialog);

/** Says that the session has ended, and asks to sign in again over the page, which stays as it is. */
export function SignInDialog({ email, signInAgain }: { email: string; signInAgain: SignInAgain }) {
  const state = useSessionState();
  useEffect(() => offerSignIn(), []);
  if (state === "open") return null;
  if (state === "ended")
    return (
      <div className="fixed inset-x-3 top-14 z-40 mx-auto max-w-md shadow-pop frame:top-3">
        <Callout
          tone="warning"
          live
          title="Your session has ended"
          actions={
            <Button size="sm" onClick={() => void askToSignIn()}>
              Sign in
            </Button>
          }
        >
          Nothing on this page is lost. Sign in to read and save again.
        </Callout>
      </div>
    );
  return <AskingDialog email={email} signInAgain={signInAgain} />;
}
