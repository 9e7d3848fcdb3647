"use client";

import { startTransition, useActionState, useEffect, useRef, useState } from "react";
import { Button } from "#components/ui/button.tsx";
import { Field } from "#components/ui/form/field.tsx";
import { Input } from "#components/ui/form/input.tsx";
import { NativeSelect } from "#components/ui/form/native-select.tsx";
import type { SelectOption } from "#components/ui/form/select.tsx";
import { type SignInState, signInAction } from "./actions.ts";

type SignInFormProps = { bases: readonly SelectOption[]; next: string };

/** Works before and without JavaScript; with it, the key stays in its box when it was refused. */
export function SignInForm({ bases, next }: SignInFormProps) {
  const [state, submit, pending] = useActionState<SignInState, FormData>(signInAction, {});
  const [base, setBase] = useState("own");
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (state.key || state.base) form.current?.querySelector<HTMLElement>("[aria-invalid]")?.focus();
  }, [state]);
  const alone = bases.length === 1;
  return (
    <form
      ref={form}
      action={submit}
      // React empties a form whose action has run, and with it the choice of the API.
      onSubmit={(event) => {
        event.preventDefault();
        const given = new FormData(event.currentTarget);
        startTransition(() => submit(given));
      }}
      className="flex flex-col gap-4"
    >
      <input type="hidden" name="next" value={next} />
      {alone ? null : (
        <Field label="API" error={state.base}>
          <NativeSelect
            name="api_base_url"
            options={bases}
            value={base}
            onChange={(event) => setBase(event.target.value)}
          />
        </Field>
      )}
      <KeyField error={state.key ?? (alone ? state.base : undefined)} own={base === "own"} />
      <Button type="submit" variant="primary" size="lg" loading={pending}>
        Sign in
      </Button>
    </form>
  );
}

function KeyField({ error, own }: { error: string | undefined; own: boolean }) {
  const [key, setKey] = useState("");
  const [shown, setShown] = useState(false);
  const [scripted, setScripted] = useState(false);
  useEffect(() => setScripted(true), []);
  return (
    <Field
      label="Personal API key"
      error={error}
      hint={own ? "Your first key was printed in the terminal when Switchyard first started." : null}
    >
      <span className="relative flex items-center">
        <Input
          name="api_key"
          type={shown ? "text" : "password"}
          size="lg"
          mono
          required
          autoFocus
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          data-1p-ignore=""
          data-lpignore="true"
          placeholder="phx_…"
          value={key}
          onChange={(event) => setKey(event.target.value)}
          className="pr-16"
        />
        {scripted ? (
          <Button
            variant="ghost"
            size="sm"
            aria-label={shown ? "Hide the key" : "Show the key"}
            className="absolute right-1.5"
            onClick={() => setShown(!shown)}
          >
            {shown ? "Hide" : "Show"}
          </Button>
        ) : null}
      </span>
    </Field>
  );
}
