import { Circle, CircleCheck } from "lucide-react";
import type { Route } from "next";
import type { ReactNode } from "react";
import type { FlagActions } from "#app/project/[project_id]/feature_flags/flag-actions.ts";
import { responseInWords } from "#components/feature_flags/detail/usage-chart.tsx";
import { kindOf } from "#components/feature_flags/list-item.ts";
import type { Access } from "#components/kit/access.tsx";
import { Card } from "#components/ui/display/card.tsx";
import { RelativeTime } from "#components/ui/display/relative-time.tsx";
import { TextLink } from "#components/ui/text-link.tsx";
import {
  CLEAN_UP_STEPS,
  type CleanUpStep,
  findDoneSteps,
  findKeptValue,
  type KeptValue,
} from "#lib/flags/feature_flags/clean-up.ts";
import type { FlagRecord } from "#lib/flags/feature_flags/schema.ts";
import type { FlagCallers } from "#lib/flags/feature_flags/usage/usage-contract.ts";
import type { Names } from "#lib/people/conditions/words.ts";
import { plural } from "#lib/platform/format.ts";
import { CleanUpAction } from "./clean-up-action.tsx";
import { buildRemovals } from "./removal-snippets.ts";
import { Removals } from "./removals.tsx";

type Props = {
  projectId: string;
  flag: FlagRecord;
  names: Required<Names>;
  access: Access;
  actions: FlagActions;
  /** Why it is stale; null once it is off. */
  stale: string | null;
  /** The calls of the last days. */
  callers: FlagCallers | null;
  days: number;
  dependents: readonly { id: number; key: string; active: boolean }[];
  now: number;
};

const TITLES: Record<CleanUpStep, string> = {
  code: "Remove it from the code",
  uses: "Remove its other uses",
  off: "Turn it off",
  deleted: "Delete it",
};

/** How a flag that nobody needs any more goes: step by step, each done or not as the stored data say. */
export function CleanUp(props: Props) {
  const { flag, stale, dependents, now } = props;
  const done = findDoneSteps({ flag, dependents, now });
  const next = CLEAN_UP_STEPS.find((step) => !done[step]);
  const contents: Record<CleanUpStep, ReactNode> = {
    code: <InCode {...props} />,
    uses: <Uses {...props} />,
    off: <TurnOff {...props} done={done.off} />,
    deleted: <Delete {...props} done={done.deleted} isNext={next === "deleted"} />,
  };
  return (
    <Card title="Clean up" description={stale ? `${stale}.` : "Nobody seems to need this flag any more."}>
      <ol aria-label="Steps of the clean-up" className="flex flex-col gap-4">
        {CLEAN_UP_STEPS.map((step) => (
          <li key={step} className="flex gap-2.5" aria-current={step === next ? "step" : undefined}>
            {done[step] ? (
              <CircleCheck aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-success-text" />
            ) : (
              <Circle aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-faint" />
            )}
            <div className="flex min-w-0 flex-1 flex-col gap-1.5 text-sm">
              <h3 className="font-medium">
                {TITLES[step]}
                <span className="font-normal text-muted"> · {done[step] ? "done" : "to do"}</span>
              </h3>
              {contents[step]}
            </div>
          </li>
        ))}
      </ol>
    </Card>
  );
}

const KEPT_WORDS: Record<KeptValue["reason"], string> = {
  everyone: "it is what everyone gets",
  most_calls: "most calls returned it",
  off: "the flag is off",
};

function InCode({ projectId, flag, callers, days }: Props) {
  const kept = findKeptValue(flag, callers?.responses ?? []);
  const kind = kindOf(flag);
  const libs = callers?.sdks.map(({ lib }) => lib) ?? [];
  const usage = `/project/${projectId}/feature_flags/${flag.id}/usage?days=${days}` as Route;
  return (
    <>
      <p className="text-muted">
        {flag.last_called_at ? (
          <>
            Last called <RelativeTime date={flag.last_called_at} />.
          </>
        ) : (
          "No SDK has ever reported a call."
        )}{" "}
        {callers ? <LastDays callers={callers} days={days} usage={usage} /> : null}
      </p>
      {kept === null ? (
        <p className="text-muted">
          It still decides who gets what, and nobody called it: choose the value that the code keeps.
        </p>
      ) : (
        <>
          {kind === "remote" ? null : (
            <p>
              Keep what the code does for{" "}
              <strong className="font-medium">{responseInWords(String(kept.value))}</strong>:{" "}
              {KEPT_WORDS[kept.reason]}.
            </p>
          )}
          <details>
            <summary className="w-fit cursor-pointer rounded-xs text-muted hover:text-ink">
              What to remove
            </summary>
            <div className="pt-2">
              <Removals removals={buildRemovals(flag.key, kind, kept.value, libs)} />
            </div>
          </details>
        </>
      )}
    </>
  );
}

function LastDays({ callers, days, usage }: { callers: FlagCallers; days: number; usage: Route }) {
  const { calls, people, responses, sdks } = callers;
  if (calls === 0) return <>Nobody called it in the last {days} days.</>;
  const values = responses.map((each) => `${responseInWords(each.response)} ${plural(each.calls, "time")}`);
  const names = sdks.map(({ lib, lib_version }) =>
    [lib || "not reported", lib_version].filter(Boolean).join(" "),
  );
  return (
    <>
      In the last {days} days <TextLink href={usage}>{plural(people, "person", "people")}</TextLink> got{" "}
      {values.join(", ")}. SDKs: {names.join(", ")}.
    </>
  );
}

function Uses({ projectId, flag, names, dependents }: Props) {
  const list = `/project/${projectId}`;
  const uses = [
    ...dependents.map(({ id, key, active }) => ({
      href: `${list}/feature_flags/${id}`,
      text: `Flag ${key}${active ? "" : " (off)"}`,
    })),
    ...flag.experiment_set.map((id) => ({ href: `${list}/experiments/${id}`, text: `Experiment ${id}` })),
    ...flag.surveys.map(({ id, name }) => ({ href: `${list}/surveys/${id}`, text: `Survey ${name}` })),
  ];
  return (
    <>
      {uses.length === 0 ? (
        <p className="text-muted">No other flag, experiment or survey uses it.</p>
      ) : (
        <ul aria-label="What uses it" className="flex flex-col gap-0.5">
          {uses.map(({ href, text }) => (
            <li key={href}>
              <TextLink href={href as Route}>{text}</TextLink>
            </li>
          ))}
        </ul>
      )}
      {names.cohorts.size > 0 ? (
        <p className="text-muted text-xs">
          It uses cohorts that nothing else may need:{" "}
          {cohortsOf(flag).map((id, place) => (
            <span key={id}>
              {place > 0 ? ", " : ""}
              <TextLink href={`${list}/cohorts/${id}` as Route}>{names.cohorts.get(id) ?? id}</TextLink>
            </span>
          ))}
          .
        </p>
      ) : null}
    </>
  );
}

const cohortsOf = ({ filters }: FlagRecord): string[] => [
  ...new Set(
    filters.groups
      .flatMap((group) => group.properties ?? [])
      .filter((row) => row.type === "cohort")
      .map((row) => String(row.value)),
  ),
];

function TurnOff({ done, ...props }: Props & { done: boolean }) {
  if (done)
    return <p className="text-muted">Everyone gets off. Wait as long as you like before deleting it.</p>;
  return (
    <>
      <p className="text-muted">It can be turned on again at once if something was missed.</p>
      <CleanUpAction {...actionProps(props)} kind="off" />
    </>
  );
}

function Delete({ done, isNext, ...props }: Props & { done: boolean; isNext: boolean }) {
  if (done) return <p className="text-muted">Its history and its calls are kept.</p>;
  if (!isNext) return <p className="text-muted">Once everything above is done.</p>;
  return (
    <>
      <p className="text-muted">It can be restored later.</p>
      <CleanUpAction {...actionProps(props)} kind="deleted" />
    </>
  );
}

const actionProps = ({ projectId, flag, names, access, actions }: Props) => ({
  projectId,
  flag: { id: flag.id, key: flag.key, active: flag.active },
  names,
  access,
  actions,
});
