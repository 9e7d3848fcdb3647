import { FlaskConical, Plus } from "lucide-react";
import type { Route } from "next";
import type { ReactNode } from "react";
import type { Access } from "#components/kit/access.tsx";
import { ButtonLink } from "#components/ui/button.tsx";
import { NumberedSteps } from "#components/ui/display/numbered-steps.tsx";
import { ShareBar } from "#components/ui/display/share-bar.tsx";
import { formatCount } from "#lib/platform/format.ts";

const STEPS = [
  {
    title: "State a hypothesis",
    text: "What changes, for whom, and which metric should move.",
  },
  { title: "Split people", text: "A feature flag assigns each person a variant, and they keep it." },
  {
    title: "Plan the running time",
    text: "Your past events show how many people you need to detect an effect.",
  },
  {
    title: "Read the results, then decide",
    text: "Lift with its uncertainty. Every count opens the people behind it.",
  },
];

type Props = { projectId: string; access: Access; archived: number; children?: ReactNode };

/** The empty state of a project without experiments. */
export function EmptyExperiments({ projectId, access, archived, children }: Props) {
  return (
    <div className="grid gap-x-10 gap-y-8 rounded-xl border border-line-strong border-dashed p-6 sm:p-10 lg:grid-cols-[minmax(0,5fr)_minmax(0,6fr)]">
      <div className="flex flex-col items-start">
        <span className="mb-4 grid size-10 place-items-center rounded-lg border bg-surface text-accent-text shadow-card">
          <FlaskConical aria-hidden="true" className="size-5" />
        </span>
        <h2 className="font-semibold text-xl">Find out whether it works</h2>
        <p className="mt-1.5 max-w-md text-pretty text-muted text-sm">
          An experiment shows a change to some people and not to others, and measures from their events
          whether it worked.
        </p>
        <div className="mt-7 flex flex-wrap items-center gap-2">
          {access.may_write ? (
            <ButtonLink href={`/project/${projectId}/experiments/new` as Route} variant="primary" icon={Plus}>
              Plan your first experiment
            </ButtonLink>
          ) : null}
          {children}
          {archived > 0 ? (
            <ButtonLink href={`/project/${projectId}/experiments?status=archived` as Route} variant="ghost">
              {`${formatCount(archived)} archived`}
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
