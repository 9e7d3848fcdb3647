"use client";

import { useEffect, useState } from "react";
import { Button } from "#components/ui/button.tsx";
import { Field } from "#components/ui/form/field.tsx";
import { Input } from "#components/ui/form/input.tsx";

type Props = { error: string | undefined; hint?: string | undefined };

/** Where a personal API key is pasted; nothing stores it. */
export function ApiKeyField({ error, hint }: Props) {
  const [key, setKey] = useState("");
  const [shown, setShown] = useState(false);
  const [scripted, setScripted] = useState(false);
  useEffect(() => setScripted(true), []);
  return (
    <Field label="Personal API key" error={error} hint={hint}>
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
