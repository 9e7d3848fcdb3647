"use client";

import { Button } from "#components/ui/button.tsx";
import { useFieldControl } from "#components/ui/form/field.tsx";
import {
  isWithin,
  type Level,
  levelsOf,
  mayGrant,
  OBJECT_WORDS,
  PRESETS,
  presetOf,
  scopesOf,
} from "#lib/identity/personal_api_keys/scope-words.ts";
import { SCOPE_OBJECTS, type ScopeObject } from "#lib/platform/http/contract.ts";

type Props = {
  scopes: readonly string[];
  onScopesChange: (scopes: string[]) => void;
  /** What the key in use has: nobody grants more. */
  held: readonly string[] | null;
};

const LEVELS = [
  { value: "none", label: "None" },
  { value: "read", label: "Read" },
  { value: "write", label: "Write" },
] as const;

/** What a key may do, object by object; presets for the usual kinds. Writing includes reading. */
export function ScopeMatrix({ scopes, onScopesChange, held }: Props) {
  const control = useFieldControl();
  const levels = levelsOf(scopes);
  const limits = levelsOf(held);
  const set = (object: ScopeObject, level: Level) => onScopesChange(scopesOf({ ...levels, [object]: level }));
  const current = presetOf(scopes);
  return (
    <div className="flex flex-col gap-2">
      <fieldset aria-label="Presets" className="flex flex-wrap gap-1.5">
        {PRESETS.map((preset) => (
          <Button
            key={preset.value}
            size="sm"
            aria-pressed={current === preset.value}
            disabled={!mayGrant(held, preset.scopes)}
            title={
              mayGrant(held, preset.scopes) ? undefined : "Your own key does not have all of these scopes"
            }
            className="aria-pressed:border-accent aria-pressed:bg-accent-soft aria-pressed:text-accent-text"
            onClick={() => onScopesChange([...preset.scopes])}
          >
            {preset.label}
          </Button>
        ))}
        {scopes.length > 0 ? (
          <Button size="sm" variant="ghost" onClick={() => onScopesChange([])}>
            Clear
          </Button>
        ) : null}
      </fieldset>
      <div className="overflow-hidden rounded-md border" aria-invalid={control["aria-invalid"]}>
        <table className="w-full border-separate border-spacing-0 text-left text-sm [&_tbody_tr:not(:last-child)>*]:border-b">
          <caption className="sr-only">Scopes of the key</caption>
          <thead>
            <tr className="bg-sunken text-muted text-xs">
              <th scope="col" className="border-b px-3 py-1.5 font-medium">
                Object
              </th>
              {LEVELS.map((level) => (
                <th key={level.value} scope="col" className="w-14 border-b py-1.5 text-center font-medium">
                  {level.label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {SCOPE_OBJECTS.map((object) => (
              <MatrixRow
                key={object}
                object={object}
                level={levels[object]}
                limit={limits[object]}
                onLevel={(level) => set(object, level)}
              />
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}

type RowProps = { object: ScopeObject; level: Level; limit: Level; onLevel: (level: Level) => void };

function MatrixRow({ object, level, limit, onLevel }: RowProps) {
  const { label, hint } = OBJECT_WORDS[object];
  return (
    <tr className="hover:bg-hover/60">
      <th scope="row" className="px-3 py-1 font-normal">
        <span className="font-medium">{label}</span>
        <span className="ml-2 text-faint text-xs max-sm:sr-only">{hint}</span>
      </th>
      {LEVELS.map((each) => {
        const beyond = !isWithin(each.value, limit);
        return (
          <td key={each.value} className="p-0">
            <label
              className="grid h-8 place-items-center"
              title={beyond ? "Your own key does not have this scope" : undefined}
            >
              <span className="sr-only">{`${label}: ${each.label}`}</span>
              <input
                type="radio"
                name={`scope-${object}`}
                className="size-3.5 accent-accent disabled:opacity-40"
                checked={level === each.value}
                disabled={beyond}
                onChange={() => onLevel(each.value)}
              />
            </label>
          </td>
        );
      })}
    </tr>
  );
}
