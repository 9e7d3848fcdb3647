import { Flag, Plus } from "lucide-react";
import type { Route } from "next";
import type { ReactNode } from "react";
import { Snippets } from "#components/feature_flags/detail/snippets.tsx";
import type { Access } from "#components/kit/access.tsx";
import { ButtonLink } from "#components/ui/button.tsx";
import { NumberedSteps } from "#components/ui/display/numbered-steps.tsx";

type Props = {
  projectId: string;
  token: string | null;
  /** URL of the API if it is not this Switchyard. */
  apiBase: string | null;
  access: Access;
  /** Another way to start, such as loading demo data. */
  children?: ReactNode;
};

const STEPS = [
  { title: "Create a flag", text: "Give it the key your code will use, and choose who gets it." },
  { title: "Check it in code", text: "With any PostHog or OpenFeature SDK and this project’s token." },
  { title: "Roll it out", text: "From 0 to 100%, to some people first. One click turns it off again." },
];

/** Empty state of a project without flags: what flags are for, how to create one and use it in code. */
export function EmptyProject({ projectId, token, apiBase, access, children }: Props) {
  return (
    <div className="grid gap-x-10 gap-y-8 rounded-xl border border-line-strong border-dashed p-6 sm:p-10 lg:grid-cols-[minmax(0,5fr)_minmax(0,6fr)]">
      <div className="flex flex-col items-start">
        <span className="mb-4 grid size-10 place-items-center rounded-lg border bg-surface text-accent-text shadow-card">
          <Flag aria-hidden="true" className="size-5" />
        </span>
        <h2 className="font-semibold text-xl">Ship dark, release when ready</h2>
        <p className="mt-1.5 max-w-md text-pretty text-muted text-sm">
          A feature flag decides on every request who gets a part of your product. Change it here and your
          code follows within seconds, without a deployment.
        </p>
        <NumberedSteps steps={STEPS} />
        <div className="mt-7 flex flex-wrap items-center gap-2">
          {access.may_write ? (
            <ButtonLink
              href={`/project/${projectId}/feature_flags/new` as Route}
              variant="primary"
              icon={Plus}
            >
              Create your first flag
            </ButtonLink>
          ) : null}
          {children}
        </div>
      </div>
      <div className="min-w-0">
        <h3 className="mb-2 font-medium text-sm">How your code uses it</h3>
        <Snippets token={token} flagKey="my-first-flag" kind="boolean" apiBase={apiBase} />
      </div>
    </div>
  );
}
