"use client";

import { Eye, EyeOff } from "lucide-react";
import { useEffect, useState } from "react";
import { Field } from "#components/ui/form/field.tsx";
import { Input } from "#components/ui/form/input.tsx";
import { IconButton } from "#components/ui/icon-button.tsx";

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
          className="pr-10"
        />
        {scripted ? (
          <IconButton
            icon={shown ? EyeOff : Eye}
            label={shown ? "Hide the key" : "Show the key"}
            aria-pressed={shown}
            className="absolute right-1"
            onClick={() => setShown(!shown)}
          />
        ) : null}
      </span>
    </Field>
  );
}
