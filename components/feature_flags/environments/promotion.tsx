"use client";

import { CalendarClock } from "lucide-react";
import type { Route } from "next";
import { useRouter } from "next/navigation";
import { useRef, useState } from "react";
import type { PromotionActions } from "#app/project/[project_id]/feature_flags/promote/actions.ts";
import type { ScheduleActions } from "#components/feature_flags/schedules/schedule-dialog.tsx";
import { type Access, Permit, refused } from "#components/kit/access.tsx";
import { attempt } from "#components/kit/action.ts";
import { DifferencesList } from "#components/kit/editor/differences-list.tsx";
import { later } from "#components/ui/after-page.ts";
import { Button } from "#components/ui/button.tsx";
import { Badge } from "#components/ui/display/badge.tsx";
import { Callout } from "#components/ui/display/callout.tsx";
import { Card } from "#components/ui/display/card.tsx";
import { Checkbox } from "#components/ui/form/checkbox.tsx";
import { toast } from "#components/ui/overlay/toaster.tsx";
import type { Promotion as Planned, PromoteBody, PromotedFlag } from "#lib/flags/environments/contract.ts";
import { ALL_PARTS, PARTS, type Part } from "#lib/flags/environments/parts-schema.ts";
import { plural } from "#lib/platform/format.ts";

const CarryOverDialog = later(
  async () => (await import("#components/feature_flags/import/carry-over-dialog.tsx")).CarryOverDialog,
);

const ScheduleDialog = later(
  async () => (await import("#components/feature_flags/schedules/schedule-dialog.tsx")).ScheduleDialog,
);

type Environment = { id: number; name: string };

type Props = {
  from: Environment;
  to: Environment;
  /** What promoting everything would do. */
  initial: Planned;
  access: Access;
  /** The time zone of the project that they are promoted to. */
  timezone: string;
  actions: PromotionActions & ScheduleActions;
};

type Chosen = ReadonlyMap<string, readonly Part[]>;

/** What a flag that is new there can be given or not; the rest makes it the flag that it is. */
const OPTIONAL: readonly Part[] = ["state", "description", "tags"];

const partsOf = ({ id, drift }: PromotedFlag): Part[] =>
  id === null ? ALL_PARTS.filter((part) => OPTIONAL.includes(part)) : drift.map(({ part }) => part);

/** Turning a flag on or off is left to whoever promotes, unless there is nothing else. */
const usual = (flag: PromotedFlag): Part[] => {
  const parts = partsOf(flag);
  return parts.length === 1 ? parts : parts.filter((part) => part !== "state");
};

function bodyOf(
  from: Environment,
  flags: readonly PromotedFlag[],
  chosen: Chosen,
  creates: boolean,
): PromoteBody {
  return {
    from_project: from.id,
    create_cohorts: creates,
    flags: flags.flatMap(({ key, id, version, source_version }) => {
      const parts = chosen.get(key);
      if (!parts || (id !== null && parts.length === 0)) return [];
      // A new flag without any of these still has its conditions.
      const taken: Part[] = parts.length > 0 ? [...parts] : ["conditions"];
      return [
        {
          key,
          version: source_version ?? undefined,
          target_version: id === null ? null : version,
          parts: taken,
        },
      ];
    }),
  };
}

/** Promotes flags: what it changes is shown part by part, and can be chosen. */
export function Promotion({ from, to, initial, access, timezone, actions }: Props) {
  const router = useRouter();
  const { flags } = initial;
  const [chosen, setChosen] = useState<Chosen>(
    () => new Map(flags.filter(isPossible).map((flag) => [flag.key, usual(flag)])),
  );
  const [creates, setCreates] = useState(false);
  const [found, setFound] = useState<Planned>();
  const [problem, setProblem] = useState<string>();
  const [state, setState] = useState<"choosing" | "checking" | "confirming" | "scheduling">("choosing");
  const latest = useRef(0);
  const body = bodyOf(from, flags, chosen, creates);
  const known = new Map(found?.flags.map((flag) => [flag.key, flag]));

  function choose(key: string, parts: readonly Part[] | undefined) {
    latest.current += 1;
    const next = new Map(chosen);
    if (parts) next.set(key, parts);
    else next.delete(key);
    setChosen(next);
    setFound(undefined);
    setProblem(undefined);
  }

  async function review(next: "confirming" | "scheduling") {
    const asked = latest.current;
    setState("checking");
    const result = await attempt(() => actions.promote(String(to.id), { ...body, dry_run: true }));
    setState("choosing");
    if (asked !== latest.current) return;
    if (!result.ok) return setProblem(result.error.detail);
    setProblem(undefined);
    setFound(result.data);
    if (result.data.flags.every(({ state }) => state !== "refused")) setState(next);
  }

  async function apply(): Promise<string | undefined> {
    const result = await attempt(() => actions.promote(String(to.id), body));
    if (!result.ok) return result.error.detail;
    const { flags: done } = result.data;
    const [only, ...others] = done;
    const before = flags
      .filter(({ key }) => body.flags.some((each) => each.key === key))
      .map(({ key, id, version }) => ({ key, id, version }));
    toast.withUndo(
      others.length === 0
        ? `${only?.key} was promoted to ${to.name}`
        : `${plural(done.length, "flag")} promoted to ${to.name}`,
      async () => {
        const undone = await attempt(() => actions.undoPromotion(String(to.id), before));
        return undone.ok ? undefined : undone.error.detail;
      },
    );
    const there = `/project/${to.id}/feature_flags`;
    router.push((only?.id && others.length === 0 ? `${there}/${only.id}` : there) as Route);
    return undefined;
  }

  const { cohorts } = initial;
  const schedulable = schedulableOf(body, flags);
  return (
    <div className="flex flex-col gap-4">
      {flags.map((flag) => (
        <FlagCard
          key={flag.key}
          from={from}
          to={to}
          flag={flag}
          refusal={known.get(flag.key)?.reason ?? (creates ? null : flag.reason)}
          chosen={chosen.get(flag.key)}
          onChoose={(parts) => choose(flag.key, parts)}
        />
      ))}
      {cohorts.length > 0 ? (
        <Callout title={`Cohorts that are not in ${to.name}`}>
          <ul className="list-disc pl-4">
            {cohorts.map(({ name, definition, reason }) => (
              <li key={name}>
                {name}
                {definition ? `: ${definition}` : ""}
                {reason ? ` (${reason})` : ""}
              </li>
            ))}
          </ul>
          {creates || cohorts.some(({ state }) => state === "missing") ? (
            <Checkbox
              className="pt-2"
              label={`Create them as ${from.name} defines them`}
              checked={creates}
              onCheckedChange={(on) => {
                latest.current += 1;
                setCreates(on === true);
                setFound(undefined);
              }}
            />
          ) : null}
        </Callout>
      ) : null}
      {problem ? (
        <Callout tone="danger" live>
          {problem}
        </Callout>
      ) : null}
      <div className="flex flex-wrap items-center gap-3">
        <Permit access={access}>
          <Button
            variant="primary"
            loading={state === "checking"}
            disabled={body.flags.length === 0}
            {...refused(access)}
            onClick={() => access.may_write && void review("confirming")}
          >
            {body.flags.length === 0 ? "Nothing to promote" : `Review ${plural(body.flags.length, "flag")}…`}
          </Button>
        </Permit>
        {schedulable ? (
          <Permit access={access}>
            <Button
              icon={CalendarClock}
              disabled={state === "checking"}
              {...refused(access)}
              onClick={() => access.may_write && void review("scheduling")}
            >
              Schedule…
            </Button>
          </Permit>
        ) : null}
        <p className="text-muted text-xs">All chosen flags are promoted together, or none of them.</p>
      </div>
      {found && state === "confirming" ? (
        <CarryOverDialog
          projectId={String(to.id)}
          title={`Promote ${plural(found.flags.length, "flag")} to ${to.name}?`}
          verb="Promote"
          flags={found.flags}
          createsCohorts={found.cohorts.some((cohort) => cohort.state === "new")}
          onClose={() => setState("choosing")}
          onConfirm={apply}
        />
      ) : null}
      {schedulable && found?.flags[0] && state === "scheduling" ? (
        <ScheduleDialog
          projectId={String(to.id)}
          timezone={timezone}
          flag={schedulable.flag}
          form={{
            payload: { operation: "promote", value: { from_project: from.id, ...schedulable.asked } },
            recurs: false,
            proposed: { id: schedulable.flag.id, ...found.flags[0].proposed },
            counts: true,
            differences: found.flags[0].differences,
          }}
          actions={actions}
          onClose={() => setState("choosing")}
          onScheduled={(isHeld) =>
            isHeld || router.push(`/project/${to.id}/feature_flags/${schedulable.flag.id}` as Route)
          }
        />
      ) : null}
    </div>
  );
}

/** A single flag that is there already can be promoted at a moment; with the cohorts that it needs, only at once. */
function schedulableOf({ flags, create_cohorts }: PromoteBody, known: readonly PromotedFlag[]) {
  const [only, ...others] = flags;
  const target = known.find(({ key }) => key === only?.key);
  if (!only?.version || others.length > 0 || create_cohorts || target?.id == null) return null;
  return {
    flag: { id: target.id, key: only.key, active: false },
    asked: { version: only.version, parts: only.parts },
  };
}

/** Whether a flag can be promoted as a whole or in part. */
const isPossible = ({ source_version, state, drift }: PromotedFlag): boolean =>
  source_version !== null && state !== "same" && (state !== "refused" || drift.length > 0);

type CardProps = {
  from: Environment;
  to: Environment;
  flag: PromotedFlag;
  /** Why it, or what is chosen of it, is refused. */
  refusal: string | null;
  chosen: readonly Part[] | undefined;
  onChoose: (parts: readonly Part[] | undefined) => void;
};

function FlagCard({ from, to, flag, refusal, chosen, onChoose }: CardProps) {
  const isNew = flag.id === null && flag.source_version !== null;
  const toggle = (part: Part, on: boolean) =>
    onChoose(on ? [...(chosen ?? []), part] : chosen?.filter((each) => each !== part));
  return (
    <Card
      title={flag.key}
      actions={
        isNew ? (
          <Badge tone="success">{`New in ${to.name}`}</Badge>
        ) : flag.state === "same" ? (
          <Badge>Same in both</Badge>
        ) : null
      }
    >
      <div className="flex flex-col gap-3">
        {refusal ? (
          <p className="break-words text-danger-text text-xs" role="status">
            {refusal}
          </p>
        ) : null}
        {flag.state === "same" ? (
          <p className="text-muted text-sm">{`There is nothing to promote: it means the same in ${from.name} and ${to.name}.`}</p>
        ) : null}
        {isNew ? (
          <NewFlag flag={flag} to={to} chosen={chosen} onChoose={onChoose} onPart={toggle} />
        ) : (
          flag.drift.map(({ part, label, differences }) => (
            <div key={part} className="flex flex-col gap-1.5">
              <Checkbox
                label={label}
                aria-label={`${label} of ${flag.key}`}
                description={chosen?.includes(part) ? undefined : `Stays as it is in ${to.name}`}
                checked={chosen?.includes(part) ?? false}
                onCheckedChange={(on) => toggle(part, on === true)}
              />
              <DifferencesList label={`${label} of ${flag.key}`} differences={differences} />
            </div>
          ))
        )}
      </div>
    </Card>
  );
}

type NewProps = {
  flag: PromotedFlag;
  to: Environment;
  chosen: readonly Part[] | undefined;
  onChoose: CardProps["onChoose"];
  onPart: (part: Part, on: boolean) => void;
};

function NewFlag({ flag, to, chosen, onChoose, onPart }: NewProps) {
  return (
    <>
      <Checkbox
        label={`Create it in ${to.name}`}
        description="With its conditions, variants, payloads and settings."
        checked={chosen !== undefined}
        onCheckedChange={(on) => onChoose(on === true ? usual(flag) : undefined)}
      />
      {chosen ? (
        <div className="flex flex-wrap gap-x-5 gap-y-2 pl-6">
          {OPTIONAL.map((part) => (
            <Checkbox
              key={part}
              label={part === "state" ? "On or off, as it is there; otherwise it is off" : PARTS[part].label}
              checked={chosen.includes(part)}
              onCheckedChange={(on) => onPart(part, on === true)}
            />
          ))}
        </div>
      ) : null}
      {flag.differences.length > 0 ? (
        <DifferencesList label={`What ${flag.key} is`} differences={flag.differences} />
      ) : null}
    </>
  );
}
