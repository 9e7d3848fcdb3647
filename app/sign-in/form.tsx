"use client";

import { startTransition, useActionState, useEffect, useRef, useState } from "react";
import { ApiKeyField } from "#components/frame/api-key-field.tsx";
import { Button } from "#components/ui/button.tsx";
import { Field } from "#components/ui/form/field.tsx";
import { NativeSelect } from "#components/ui/form/native-select.tsx";
import type { SelectOption } from "#components/ui/form/select.tsx";
import { type SignInState, signInAction } from "./actions.ts";

const FIRST_KEY = "Your first key was printed in the terminal when Switchyard first started.";

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
      <ApiKeyField
        error={state.key ?? (alone ? state.base : undefined)}
        hint={base === "own" ? FIRST_KEY : undefined}
      />
      <Button type="submit" variant="primary" size="lg" loading={pending}>
        Sign in
      </Button>
    </form>
  );
}
