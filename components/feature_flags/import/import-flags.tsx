"use client";

import type { Route } from "next";
import { useRouter } from "next/navigation";
import { useState } from "react";
import type { FlagActions } from "#app/project/[project_id]/feature_flags/flag-actions.ts";
import type { Access } from "#components/kit/access.tsx";
import { attempt, problemOf } from "#components/kit/action.ts";
import { DifferencesList } from "#components/kit/editor/differences-list.tsx";
import { later } from "#components/ui/after-page.ts";
import { Button } from "#components/ui/button.tsx";
import { Badge } from "#components/ui/display/badge.tsx";
import { Callout } from "#components/ui/display/callout.tsx";
import { Card } from "#components/ui/display/card.tsx";
import { Checkbox } from "#components/ui/form/checkbox.tsx";
import { Field } from "#components/ui/form/field.tsx";
import { Textarea } from "#components/ui/form/textarea.tsx";
import { toast } from "#components/ui/overlay/toaster.tsx";
import type {
  FlagImportBody,
  ImportedCohort,
  ImportedFlag,
} from "#lib/flags/feature_flags/transfer/transfer-contract.ts";
import { plural } from "#lib/platform/format.ts";

const CarryOverDialog = later(async () => (await import("./carry-over-dialog.tsx")).CarryOverDialog);

type Found = { body: FlagImportBody; flags: ImportedFlag[]; cohorts: ImportedCohort[] };

type Props = { projectId: string; access: Access; actions: FlagActions };

/** What the dashboard passes on at once; larger files go over the API. */
const LENGTH_MAX = 400_000;

/** A file's document; a list of flags is one too, without the names of what they refer to. */
function readDocument(text: string): FlagImportBody | string {
  if (text.length > LENGTH_MAX) return "The file is too large for the dashboard. Import it over the API.";
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return `This is not JSON: ${error instanceof Error ? error.message : "it cannot be read"}.`;
  }
  if (Array.isArray(value)) return { flags: value as FlagImportBody["flags"] };
  if (typeof value !== "object" || value === null || !("flags" in value))
    return "This is not an export of feature flags: it has no list “flags”.";
  return value as FlagImportBody;
}

const canImport = ({ state }: ImportedFlag) => state === "new" || state === "changed";

/** Imports flags from a file: what would happen to each is shown first, and can be chosen. */
export function ImportFlags({ projectId, access, actions }: Props) {
  const router = useRouter();
  const [text, setText] = useState("");
  const [problem, setProblem] = useState<string>();
  const [found, setFound] = useState<Found>();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [state, setState] = useState<"editing" | "checking" | "confirming">("editing");

  function type(next: string) {
    setText(next);
    setFound(undefined);
    setProblem(undefined);
  }

  async function check(creates: boolean) {
    const sent = readDocument(text);
    if (typeof sent === "string") return setProblem(sent);
    setState("checking");
    const body = { ...sent, create_cohorts: creates };
    const result = await attempt(() => actions.importFlags(projectId, { ...body, dry_run: true }));
    setState("editing");
    if (!result.ok) return setProblem(problemOf(result));
    setProblem(undefined);
    setFound({ body, flags: result.data.flags, cohorts: result.data.cohorts });
    return setChosen(new Set(result.data.flags.filter(canImport).map(({ key }) => key)));
  }

  async function apply(): Promise<string | undefined> {
    if (!found) return undefined;
    const versions = Object.fromEntries(found.flags.map(({ key, version }) => [key, version]));
    const body = { ...found.body, keys: [...chosen], versions };
    const result = await attempt(() => actions.importFlags(projectId, body));
    if (!result.ok) return problemOf(result);
    toast.success(`${plural(chosen.size, "flag")} imported`);
    router.push(`/project/${projectId}/feature_flags` as Route);
    return undefined;
  }

  return (
    <div className="flex flex-col gap-5">
      <Card
        title="File"
        description="A file that “Export” in the list of flags saved. Nothing is changed yet."
      >
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void check(false);
          }}
          className="flex flex-col gap-4"
        >
          <fieldset disabled={!access.may_write} className="flex min-w-0 flex-col gap-4">
            <Field label="Choose a file">
              <input
                type="file"
                accept=".json,application/json"
                aria-label="Choose a file"
                className="w-full rounded-md border bg-surface text-sm file:mr-3 file:border-0 file:border-r file:bg-sunken file:px-3 file:py-2 file:text-ink"
                onChange={async (event) => {
                  const file = event.target.files?.[0];
                  if (file) type(await file.text());
                }}
              />
            </Field>
            <Field label="or paste its JSON" error={problem}>
              <Textarea
                mono
                rows={6}
                spellCheck={false}
                value={text}
                onChange={(event) => type(event.target.value)}
              />
            </Field>
            <Button
              type="submit"
              className="w-fit"
              loading={state === "checking"}
              disabled={text.trim() === ""}
            >
              Show what would change
            </Button>
          </fieldset>
        </form>
      </Card>
      {found ? (
        <Card title="What would happen" description="Nothing is changed yet.">
          <div className="flex flex-col gap-4" aria-live="polite">
            <p className="text-sm">{summaryOf(found.flags)}</p>
            <MissingCohorts
              cohorts={found.cohorts}
              creates={found.body.create_cohorts === true}
              isChecking={state === "checking"}
              onCreates={(creates) => void check(creates)}
            />
            <ul aria-label="Flags of the file" className="divide-y rounded-md border">
              {found.flags.map((flag, place) => (
                <FlagLine
                  // biome-ignore lint/suspicious/noArrayIndexKey: the same key can be in a file twice
                  key={`${flag.key} ${place}`}
                  flag={flag}
                  chosen={chosen.has(flag.key)}
                  onChoose={(on) => {
                    const next = new Set(chosen);
                    if (on) next.add(flag.key);
                    else next.delete(flag.key);
                    setChosen(next);
                  }}
                />
              ))}
            </ul>
            {found.flags.some(({ state }) => state === "refused") ? (
              <Callout>
                Refused flags stay out. All chosen flags are imported together, or none of them.
              </Callout>
            ) : null}
            <Button
              variant="primary"
              className="w-fit"
              disabled={chosen.size === 0}
              onClick={() => setState("confirming")}
            >
              {chosen.size === 0 ? "Nothing to import" : `Import ${plural(chosen.size, "flag")}…`}
            </Button>
          </div>
        </Card>
      ) : null}
      {found && state === "confirming" ? (
        <CarryOverDialog
          projectId={projectId}
          title={`Import ${plural(chosen.size, "flag")}?`}
          verb="Import"
          flags={found.flags.filter(({ key }) => chosen.has(key))}
          createsCohorts={found.cohorts.some(({ state }) => state === "new")}
          onClose={() => setState("editing")}
          onConfirm={apply}
        />
      ) : null}
    </div>
  );
}

type CohortProps = {
  cohorts: readonly ImportedCohort[];
  creates: boolean;
  isChecking: boolean;
  onCreates: (creates: boolean) => void;
};

/** The cohorts that the flags need and that are not here, with whom they hold; they can be created too. */
function MissingCohorts({ cohorts, creates, isChecking, onCreates }: CohortProps) {
  if (cohorts.length === 0) return null;
  const canCreate = creates || cohorts.some(({ state }) => state === "missing");
  return (
    <section aria-labelledby="missing-cohorts" className="flex flex-col gap-2 text-sm">
      <h3 id="missing-cohorts" className="font-medium">
        Cohorts that are not here
      </h3>
      <ul aria-labelledby="missing-cohorts" className="divide-y rounded-md border">
        {cohorts.map(({ name, definition, state, reason }) => (
          <li key={name} className="flex flex-col gap-1 px-3 py-2.5">
            <span className="flex flex-wrap items-center gap-2.5">
              <span className="min-w-0 break-words font-medium">{name}</span>
              <Badge tone={COHORT_STATES[state].tone}>{COHORT_STATES[state].word}</Badge>
            </span>
            {definition ? <p className="break-words text-muted text-xs">{definition}</p> : null}
            {reason ? <p className="break-words text-danger-text text-xs">{reason}</p> : null}
          </li>
        ))}
      </ul>
      {canCreate ? (
        <Checkbox
          label="Create them as the file defines them"
          checked={creates}
          disabled={isChecking}
          onCheckedChange={(on) => onCreates(on === true)}
        />
      ) : null}
    </section>
  );
}

const COHORT_STATES = {
  new: { word: "will be created", tone: "success" },
  missing: { word: "missing", tone: "warning" },
  refused: { word: "cannot be created", tone: "danger" },
} as const;

const STATES = {
  new: { word: "new", tone: "success" },
  changed: { word: "changed", tone: "warning" },
  same: { word: "same", tone: "neutral" },
  refused: { word: "refused", tone: "danger" },
} as const;

function summaryOf(flags: readonly ImportedFlag[]): string {
  const states = Object.keys(STATES) as (keyof typeof STATES)[];
  return states
    .map((state) => ({ state, count: flags.filter((flag) => flag.state === state).length }))
    .filter(({ count }) => count > 0)
    .map(({ state, count }) => `${count} ${STATES[state].word}`)
    .join(", ");
}

type LineProps = { flag: ImportedFlag; chosen: boolean; onChoose: (on: boolean) => void };

function FlagLine({ flag, chosen, onChoose }: LineProps) {
  const { word, tone } = STATES[flag.state];
  const name = flag.key || "A flag without a key";
  return (
    <li className="flex flex-col gap-2 px-3 py-2.5 text-sm">
      <span className="flex flex-wrap items-center gap-2.5">
        <Checkbox
          aria-label={`Import ${name}`}
          checked={chosen}
          disabled={!canImport(flag)}
          onCheckedChange={(on) => onChoose(on === true)}
        />
        <span className="min-w-0 break-words font-medium">{name}</span>
        <Badge tone={tone}>{word}</Badge>
      </span>
      {flag.reason ? <p className="break-words text-danger-text text-xs">{flag.reason}</p> : null}
      {flag.differences.length > 0 ? (
        <details open={flag.state === "changed"} className="text-xs">
          <summary className="w-fit cursor-pointer rounded-xs text-muted hover:text-ink">
            {flag.state === "new" ? "What it is" : "What changes"}
          </summary>
          <div className="pt-1.5">
            <DifferencesList label={`What changes in ${name}`} differences={flag.differences} />
          </div>
        </details>
      ) : null}
    </li>
  );
}
