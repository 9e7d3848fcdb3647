import { FlaskConical, Plus } from "lucide-react";
import type { Route } from "next";
import type { ReactNode } from "react";
import type { Access } from "#components/feature_flags/flag_actions.ts";
import { ButtonLink } from "#components/ui/button.tsx";
import { NumberedSteps } from "#components/ui/numbered-steps.tsx";
import { ShareBar } from "#components/ui/share-bar.tsx";

const STEPS = [
  {
    title: "Say what you expect",
    text: "Which change, for whom, and which number should move because of it.",
  },
  { title: "Split people", text: "A feature flag gives each of them one variant, the same one every time." },
  { title: "Plan how long", text: "From the events you have: how many people it takes to see an effect." },
  {
    title: "Read, then decide",
    text: "Lift with its uncertainty, every count open to the people behind it.",
  },
];

type Props = { projectId: string; access: Access; archived: number; children?: ReactNode };

/** A project without experiments: what they are, and the first one. */
export function EmptyExperiments({ projectId, access, archived, children }: Props) {
  return (
    <div className="grid gap-x-10 gap-y-8 rounded-xl border border-line-strong border-dashed p-6 sm:p-10 lg:grid-cols-[minmax(0,5fr)_minmax(0,6fr)]">
      <div className="flex flex-col items-start">
        <span className="mb-4 grid size-10 place-items-center rounded-lg border bg-surface text-accent-text shadow-card">
          <FlaskConical aria-hidden="true" className="size-5" />
        </span>
        <h2 className="font-semibold text-xl">Find out whether it works</h2>
        <p className="mt-1.5 max-w-md text-pretty text-muted text-sm">
          An experiment shows some people a change and others not, and tells you from their own events whether
          the change did what you hoped.
        </p>
        <div className="mt-7 flex flex-wrap items-center gap-2">
          {access.may_write ? (
            <ButtonLink href={`/project/${projectId}/experiments/new` as Route} variant="primary" icon={Plus}>
              Plan the first experiment
            </ButtonLink>
          ) : null}
          {children}
          {archived > 0 ? (
            <ButtonLink href={`/project/${projectId}/experiments?status=archived` as Route} variant="ghost">
              {archived === 1 ? "1 is archived" : `${archived} are archived`}
            </ButtonLink>
          ) : null}
        </div>
      </div>
      <div className="min-w-0">
        <ShareBar
          label="An even split"
          kind="legend"
          shares={[
            { name: "control", percent: 50 },
            { name: "test", percent: 50 },
          ]}
        />
        <NumberedSteps steps={STEPS} />
      </div>
    </div>
  );
}
