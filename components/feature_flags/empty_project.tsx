import { Flag, Plus } from "lucide-react";
import type { Route } from "next";
import type { ReactNode } from "react";
import { ButtonLink } from "#components/ui/button.tsx";
import { NumberedSteps } from "#components/ui/numbered-steps.tsx";
import type { Access } from "./flag_actions.ts";
import { Snippets } from "./snippets.tsx";

type Props = {
  projectId: string;
  token: string | null;
  /** Address of the API where it is not this Switchyard. */
  apiBase: string | null;
  access: Access;
  /** A further way to begin, such as loading demonstration data. */
  children?: ReactNode;
};

const STEPS = [
  { title: "Make a flag", text: "Name it as your code will ask for it, and choose who gets it." },
  { title: "Ask for it", text: "In any PostHog or OpenFeature SDK, with the key of this project." },
  { title: "Turn it up", text: "From 0 to 100 %, for some people first. Off again is one press." },
];

/** A project without flags: what they are for, the first one, and how code asks for it. */
export function EmptyProject({ projectId, token, apiBase, access, children }: Props) {
  return (
    <div className="grid gap-x-10 gap-y-8 rounded-xl border border-line-strong border-dashed p-6 sm:p-10 lg:grid-cols-[minmax(0,5fr)_minmax(0,6fr)]">
      <div className="flex flex-col items-start">
        <span className="mb-4 grid size-10 place-items-center rounded-lg border bg-surface text-accent-text shadow-card">
          <Flag aria-hidden="true" className="size-5" />
        </span>
        <h2 className="font-semibold text-xl">Ship it dark, turn it on when you like</h2>
        <p className="mt-1.5 max-w-md text-pretty text-muted text-sm">
          A feature flag decides, at every request, who gets a part of your product. Change your mind here and
          the code follows within seconds, without a deployment.
        </p>
        <NumberedSteps steps={STEPS} />
        <div className="mt-7 flex flex-wrap items-center gap-2">
          {access.may_write ? (
            <ButtonLink
              href={`/project/${projectId}/feature_flags/new` as Route}
              variant="primary"
              icon={Plus}
            >
              Create the first flag
            </ButtonLink>
          ) : null}
          {children}
        </div>
      </div>
      <div className="min-w-0">
        <h3 className="mb-2 font-medium text-sm">How your code will ask</h3>
        <Snippets token={token} flagKey="my-first-flag" kind="boolean" apiBase={apiBase} />
      </div>
    </div>
  );
}
