"use client";

import { useRouter } from "next/navigation";
import { useEffect } from "react";
import type { FlagActions } from "#app/project/[project_id]/feature_flags/flag-actions.ts";
import type { Access } from "#components/kit/access.tsx";
import { personName } from "#components/kit/person-name.ts";
import { useEndpoint } from "#components/kit/use-endpoint.ts";
import { Status } from "#components/ui/display/badge.tsx";
import { Callout } from "#components/ui/display/callout.tsx";
import { Card } from "#components/ui/display/card.tsx";
import { RelativeTime } from "#components/ui/display/relative-time.tsx";
import { Table, TableBody, TableHead, Td, Th, Tr } from "#components/ui/display/table.tsx";
import { formatCount, formatNumber, formatShortPercent, plural } from "#lib/platform/format.ts";
import type { rampContract } from "#lib/ramps/contract.ts";
import type { Ramp } from "#lib/ramps/schema.ts";
import { RampButtons } from "./ramp-buttons.tsx";
import {
  changeWords,
  guardrailWords,
  holdWords,
  hoursWords,
  intervalWords,
  isOver,
  stepWords,
  whyNotCompared,
} from "./ramp-words.ts";

/** How often a ramp is read again while it is looked at: as often as it is decided upon. */
const REFRESH_MS = 10_000;

type Props = {
  projectId: string;
  ramp: Ramp;
  access: Access;
  actions: FlagActions;
};

const STATUSES = {
  running: <Status status="running" />,
  paused: <Status status="paused" />,
  completed: <Status status="complete">Completed</Status>,
  rolled_back: <Status status="deleted">Rolled back</Status>,
  cancelled: <Status status="stopped">Cancelled</Status>,
} as const satisfies Record<Ramp["status"], unknown>;

/** A ramp: where it is, what its guardrails say, what happens next, and what it has cost. */
export function RampCard({ projectId, ramp: given, access, actions }: Props) {
  const router = useRouter();
  const { data, refetch } = useEndpoint<typeof rampContract.retrieve>(
    "/api/projects/{project_id}/ramps/{id}/",
    { params: { project_id: projectId, id: String(given.id) } },
    { initialData: given, refetchInterval: isOver(given) ? false : REFRESH_MS },
  );
  const ramp = data ?? given;
  const moved = `${ramp.status} ${ramp.step}` !== `${given.status} ${given.step}`;
  // The flag itself has changed then.
  useEffect(() => {
    if (moved) router.refresh();
  }, [moved, router]);
  const by = personName(ramp.created_by);
  return (
    <Card
      title="Ramp"
      description={
        <>
          Started <RelativeTime date={ramp.created_at} />
          {by ? ` by ${by}` : ""}
        </>
      }
      actions={STATUSES[ramp.status]}
    >
      <div className="flex flex-col gap-4 text-sm">
        {ramp.reason ? (
          <Callout
            tone={ramp.status === "paused" ? "warning" : ramp.status === "rolled_back" ? "danger" : "info"}
            live
          >
            {ramp.reason.detail}
          </Callout>
        ) : null}
        <StepList ramp={ramp} />
        {isOver(ramp) ? null : <Next ramp={ramp} />}
        <Guardrails ramp={ramp} />
        {ramp.cost ? <CostWords ramp={ramp} cost={ramp.cost} /> : null}
        {isOver(ramp) ? null : (
          <RampButtons
            projectId={projectId}
            ramp={ramp}
            access={access}
            actions={actions}
            onDone={() => void refetch()}
          />
        )}
      </div>
    </Card>
  );
}

function StepList({ ramp }: { ramp: Ramp }) {
  const steps = ramp.steps.map((step, i) => ({
    step,
    place: i + 1,
    isPast: i < ramp.step || ramp.status === "completed",
    isCurrent: i === ramp.step && ramp.status !== "completed",
  }));
  return (
    <ol aria-label="Steps of the ramp" className="flex flex-col gap-1">
      {steps.map(({ step, place, isPast, isCurrent }) => (
        <li
          key={place}
          aria-current={isCurrent ? "step" : undefined}
          className={isCurrent ? "font-medium" : "text-muted"}
        >
          {place}. {stepWords(step)}{" "}
          <span className="font-normal text-muted text-xs">{isPast ? "done" : holdWords(step)}</span>
        </li>
      ))}
    </ol>
  );
}

/** Who is compared, and what happens next. */
function Next({ ramp }: { ramp: Ramp }) {
  const run = ramp.runs.at(-1);
  if (!run) return null;
  const next = ramp.steps[ramp.step + 1];
  const waits = ramp.waits_for.map((each) => {
    if (each.hold === "hours") return <RelativeTime key="hours" date={each.until} />;
    if (each.hold === "people")
      return (
        <span key="people">once {plural(each.missing, "more person is", "more people are")} compared</span>
      );
    return <span key="approval">once somebody approves</span>;
  });
  return (
    <div className="flex flex-col gap-1">
      <p>
        {run.comparison
          ? `${plural(run.people.treatment, "person has", "people have")} the change and ${formatCount(run.people.control)} ${run.people.control === 1 ? "is" : "are"} compared with them.`
          : `${whyNotCompared(ramp)}: the guardrails are silent.`}
      </p>
      {ramp.status === "running" ? (
        <p>
          Next: {next ? stepWords(next) : "the ramp is completed"}
          {waits.map((wait, i) => (
            <span key={wait.key}>
              {i === 0 ? " " : ", and "}
              {wait}
            </span>
          ))}
          {waits.length === 0 ? " within a minute" : ""}.
        </p>
      ) : (
        <p>Nothing happens until somebody resumes it.</p>
      )}
    </div>
  );
}

const VERDICTS = {
  waiting: <Status status="scheduled">Waiting for data</Status>,
  holding: <Status status="active">No harm shown</Status>,
  breached: <Status status="deleted">Harm shown</Status>,
} as const;

/** What the guardrails said in the last step in which somebody was compared. */
function Guardrails({ ramp }: { ramp: Ramp }) {
  const run = ramp.runs.findLast(({ comparison }) => comparison !== null);
  if (ramp.guardrails.length === 0 || !run) return null;
  return (
    <Table caption={`Guardrails in step ${run.step + 1}`} framed={false} minWidth="sm:min-w-0">
      <TableHead>
        <Th>Guardrail</Th>
        <Th>Without</Th>
        <Th>With</Th>
        <Th>Change</Th>
        <Th>Verdict</Th>
      </TableHead>
      <TableBody>
        {ramp.guardrails.map((guardrail) => {
          const verdict = run.verdicts[guardrail.id];
          const isShare =
            guardrail.metric.metric_type === "funnel" || guardrail.metric.metric_type === "retention";
          const value = (of: number | null | undefined) =>
            of === null || of === undefined ? "–" : isShare ? formatShortPercent(of) : formatNumber(of);
          return (
            <Tr key={guardrail.id}>
              <Td place="title">
                <span className="block font-medium">{guardrail.name ?? guardrail.id}</span>
                <span className="block text-faint text-xs">{guardrailWords(guardrail)}</span>
              </Td>
              <Td label="Without">{value(verdict?.control)}</Td>
              <Td label="With">{value(verdict?.treatment)}</Td>
              <Td label="Change">
                {verdict?.change === null || verdict === undefined ? "–" : changeWords(verdict.change)}
                <span className="block text-faint text-xs">
                  {intervalWords(verdict?.interval ?? [null, null])}
                </span>
              </Td>
              <Td label="Verdict">{VERDICTS[verdict?.status ?? "waiting"]}</Td>
            </Tr>
          );
        })}
      </TableBody>
    </Table>
  );
}

/** A change of a total, given as above 0 for the worse: "168 more". */
function totalWords(worse: number, harm: "increase" | "decrease"): string {
  const size = formatNumber(Math.abs(worse), Math.abs(worse) < 10 ? 1 : 0);
  return `${size} ${worse > 0 === (harm === "increase") ? "more" : "fewer"}`;
}

function CostWords({ ramp, cost }: { ramp: Ramp; cost: NonNullable<Ramp["cost"]> }) {
  return (
    <section aria-label="What it cost" className="flex flex-col gap-1">
      <h3 className="font-medium">What it cost</h3>
      <p>
        {plural(cost.people, "person", "people")} had the change while it was compared; the ramp took{" "}
        {hoursWords(cost.hours)}.
      </p>
      {ramp.guardrails.map(({ id, name, harm }) => {
        const found = cost.guardrails[id];
        if (!found) return null;
        const [low, high] = found.interval;
        return (
          <p key={id}>
            {name ?? id}: an estimated {totalWords(found.total, harm)} than without the change (with 95%
            confidence {totalWords(low, harm)} to {totalWords(high, harm)}).
          </p>
        );
      })}
    </section>
  );
}
