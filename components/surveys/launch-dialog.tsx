"use client";

import { CircleCheck, CircleX, Info, type LucideIcon, Rocket, TriangleAlert } from "lucide-react";
import { useMemo, useState } from "react";
import type { SurveyActions } from "#app/project/[project_id]/surveys/survey-actions.ts";
import { ProposeButton } from "#components/kit/propose/propose-button.tsx";
import { ProposeDialog } from "#components/kit/propose/propose-dialog.tsx";
import type { Revision } from "#components/kit/propose/revision.ts";
import { AudienceCount } from "#components/surveys/audience/audience-count.tsx";
import { localText, momentOf } from "#components/surveys/draft/moments.ts";
import { statusOf } from "#components/surveys/draft/status.ts";
import { storedBody } from "#components/surveys/draft/survey-draft.ts";
import { Button } from "#components/ui/button.tsx";
import { cn } from "#components/ui/cn.ts";
import { Field, FieldError } from "#components/ui/form/field.tsx";
import { Input } from "#components/ui/form/input.tsx";
import { Segmented } from "#components/ui/form/segmented.tsx";
import { Dialog } from "#components/ui/overlay/dialog.tsx";
import { DialogClose } from "#components/ui/overlay/dialog-close.tsx";
import { checkPaths } from "#lib/engines/branching/paths.ts";
import type { SurveyWritten } from "#lib/surveys/surveys/schema.ts";
import { launchChecks } from "./launch-checks.ts";
import type { LaunchCheck } from "./launch-reach.ts";
import { ShareDetails } from "./sharing/share-dialog.tsx";
import { proposalOf } from "./survey-proposal.ts";
import { useSurveyActions, withLinks } from "./use-survey-actions.ts";

type Props = {
  projectId: string;
  survey: SurveyWritten;
  actions: SurveyActions;
  /** A proposed launch that is opened again. */
  revision?: Revision | undefined;
  onClose: () => void;
};

/** The launch dialog: checklist, audience, and dates. */
export function LaunchDialog({ projectId, survey, actions, revision, onClose }: Props) {
  const commands = useSurveyActions({ projectId, survey, actions });
  const [now] = useState(() => Date.now());
  const isScheduled = statusOf(survey, now) === "scheduled";
  const proposed = revision?.body as Pick<SurveyWritten, "start_date" | "end_date"> | undefined;
  const [start, setStart] = useState(laterThan(now, proposed?.start_date ?? survey.start_date));
  const [end, setEnd] = useState(proposed ? (proposed.end_date ?? null) : survey.end_date);
  const [launching, setLaunching] = useState(false);
  const [launched, setLaunched] = useState<SurveyWritten>();
  const [problem, setProblem] = useState<string>();
  const [proposing, setProposing] = useState(false);
  const body = useMemo(() => storedBody(survey), [survey]);
  const report = useMemo(
    () => checkPaths(body.questions, { shuffled: body.appearance?.shuffleQuestions === true }),
    [body],
  );
  const checks = launchChecks(body, report, start ? Date.parse(start) : now, end, survey.linked_flag);
  const blocked = checks.some((check) => check.level === "error");
  const counted = body.type === "popover" || body.type === "widget";

  async function launch() {
    if (blocked) return;
    setLaunching(true);
    const from = start ? new Date(start) : new Date();
    const { problem: trouble, isHeld } = await commands.launch(from, end);
    setLaunching(false);
    if (trouble) setProblem(trouble);
    else if (isHeld) onClose();
    else if (survey.type === "external_survey")
      setLaunched({ ...survey, start_date: from.toISOString(), end_date: end });
    else onClose();
  }
  if (launched) return <Launched projectId={projectId} survey={launched} onClose={onClose} />;
  if (proposing)
    return (
      <ProposeDialog
        {...proposalOf({ projectId, survey, actions }, start ? "schedule" : "launch", {
          method: "PATCH",
          body: withLinks(survey, {
            ...revision?.body,
            start_date: start ?? new Date().toISOString(),
            end_date: end,
          }),
        })}
        revision={revision}
        onClose={onClose}
      />
    );
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={isScheduled ? `Launch of ${survey.name}` : `Launch ${survey.name}?`}
      size="md"
      footer={
        <>
          {revision ? null : <ProposeButton disabled={blocked} onClick={() => setProposing(true)} />}
          <DialogClose>
            <Button>{isScheduled || revision ? "Cancel" : "Not yet"}</Button>
          </DialogClose>
          {revision ? (
            <Button variant="primary" disabled={blocked} onClick={() => setProposing(true)}>
              Revise request…
            </Button>
          ) : (
            <Button variant="primary" icon={Rocket} loading={launching} disabled={blocked} onClick={launch}>
              {start ? "Schedule survey" : "Launch survey"}
            </Button>
          )}
        </>
      }
    >
      <div className="flex flex-col gap-5">
        <ul aria-label="Checklist" className="divide-y rounded-lg border">
          {checks.map((check) => (
            <CheckRow key={check.title} check={check} />
          ))}
        </ul>
        {counted ? (
          <section aria-label="Who will see it" className="flex flex-col gap-1">
            <h3 className="font-medium text-sm">Who will see it</h3>
            <AudienceCount
              projectId={projectId}
              body={body}
              id={survey.id}
              flagKey={survey.targeting_flag?.key ?? null}
            />
          </section>
        ) : null}
        <Dates start={start} end={end} now={now} setStart={setStart} setEnd={setEnd} />
        <FieldError>{problem}</FieldError>
      </div>
    </Dialog>
  );
}

/** A moment that is still to come; null for one that is over. */
const laterThan = (now: number, moment: string | null): string | null =>
  moment !== null && Date.parse(moment) > now ? moment : null;

/** Shown after the launch of a hosted survey: its address to send out. */
function Launched({ projectId, survey, onClose }: Pick<Props, "projectId" | "survey" | "onClose">) {
  const [now] = useState(() => Date.now());
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={
        statusOf(survey, now) === "scheduled" ? `${survey.name} is scheduled` : `${survey.name} is running`
      }
      description="Send this address to the people you want to ask."
      size="md"
      footer={
        <DialogClose>
          <Button>Done</Button>
        </DialogClose>
      }
    >
      <ShareDetails projectId={projectId} survey={survey} />
    </Dialog>
  );
}

const SIGNS: Record<LaunchCheck["level"], { icon: LucideIcon; look: string; word: string }> = {
  good: { icon: CircleCheck, look: "text-success-text", word: "Good" },
  note: { icon: Info, look: "text-info-text", word: "Note" },
  warning: { icon: TriangleAlert, look: "text-warning-text", word: "Warning" },
  error: { icon: CircleX, look: "text-danger-text", word: "Error" },
};

function CheckRow({ check }: { check: LaunchCheck }) {
  const { icon: Icon, look, word } = SIGNS[check.level];
  return (
    <li className="flex items-start gap-2.5 px-3 py-2.5 text-sm">
      <Icon aria-hidden="true" className={cn("mt-0.5 size-4 shrink-0", look)} />
      <span className="min-w-0">
        <span className="sr-only">{word}: </span>
        <span className="font-medium">{check.title}</span>
        <span className="block break-words text-muted text-xs">{check.text}</span>
      </span>
    </li>
  );
}

const HOUR_MS = 3_600_000;

type DatesProps = {
  start: string | null;
  end: string | null;
  now: number;
  setStart: (start: string | null) => void;
  setEnd: (end: string | null) => void;
};

function Dates({ start, end, now, setStart, setEnd }: DatesProps) {
  const later = (hours: number) =>
    new Date(Math.ceil((now + hours * HOUR_MS) / HOUR_MS) * HOUR_MS).toISOString();
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <Field as="group" label="Starts">
        <Segmented
          label="Starts"
          className="self-start"
          size="sm"
          value={start ? "date" : "now"}
          options={[
            { value: "now", label: "Now" },
            { value: "date", label: "At a date" },
          ]}
          onValueChange={(when) => setStart(when === "now" ? null : later(24))}
        />
        {start ? (
          <Input
            type="datetime-local"
            aria-label="Date and time of the start"
            value={localText(start)}
            onChange={(event) => setStart(momentOf(event.target.value) ?? start)}
          />
        ) : null}
      </Field>
      <Field as="group" label="Ends">
        <Segmented
          label="Ends"
          className="self-start"
          size="sm"
          value={end ? "date" : "hand"}
          options={[
            { value: "hand", label: "Manually" },
            { value: "date", label: "At a date" },
          ]}
          onValueChange={(when) => setEnd(when === "hand" ? null : later(14 * 24))}
        />
        {end ? (
          <Input
            type="datetime-local"
            aria-label="Date and time of the end"
            value={localText(end)}
            onChange={(event) => setEnd(momentOf(event.target.value) ?? end)}
          />
        ) : null}
      </Field>
    </div>
  );
}
