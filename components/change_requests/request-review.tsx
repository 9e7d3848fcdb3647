"use client";

import { Check, MessageSquare, Rocket, ShieldAlert, Undo2, X } from "lucide-react";
import { useState } from "react";
import type { RequestActions, Verb } from "#app/project/[project_id]/change_requests/request-actions.ts";
import { type Access, Permit, refused } from "#components/kit/access.tsx";
import { attempt } from "#components/kit/action.ts";
import { personName } from "#components/kit/person-name.ts";
import { Button } from "#components/ui/button.tsx";
import { ConfirmDialog } from "#components/ui/confirm-dialog.tsx";
import { Avatar } from "#components/ui/display/avatar.tsx";
import { Badge } from "#components/ui/display/badge.tsx";
import { Card } from "#components/ui/display/card.tsx";
import { RelativeTime } from "#components/ui/display/relative-time.tsx";
import { Field } from "#components/ui/form/field.tsx";
import { Textarea } from "#components/ui/form/textarea.tsx";
import { toast } from "#components/ui/overlay/toaster.tsx";
import type { Tone } from "#components/ui/tone.ts";
import type { ChangeRequest } from "#lib/approvals/change_requests/schema.ts";
import { formatMomentIn, plural } from "#lib/platform/format.ts";
import { ApplyAtButton, CancelMoment } from "./apply-at.tsx";
import { impactInWords, isOpen } from "./request-words.ts";

type Props = {
  projectId: string;
  request: ChangeRequest;
  timezone: string;
  access: Access;
  actions: RequestActions;
};

type Asked = {
  verb: Verb;
  title: string;
  label: string;
  description?: string;
  /** Whether it asks why, and needs an answer. */
  reason: "required" | "optional" | "none";
  danger?: boolean;
};

const DIALOGS: Partial<Record<Verb, Asked>> = {
  apply: { verb: "apply", title: "Apply this change now?", label: "Apply now", reason: "none" },
  approve: {
    verb: "approve",
    title: "Approve this change?",
    label: "Approve",
    description: "The last approval that is needed applies the change, at once or at its scheduled time.",
    reason: "optional",
  },
  request_changes: {
    verb: "request_changes",
    title: "Ask for changes?",
    label: "Ask for changes",
    description: "It cannot be applied until it is revised.",
    reason: "required",
  },
  reject: { verb: "reject", title: "Reject this change?", label: "Reject", reason: "required", danger: true },
  cancel: {
    verb: "cancel",
    title: "Cancel this request?",
    label: "Cancel request",
    reason: "optional",
    danger: true,
  },
  bypass: {
    verb: "bypass",
    title: "Apply without approval?",
    label: "Apply without approval",
    description: "For emergencies. Your name and the reason stay on record.",
    reason: "required",
    danger: true,
  },
};

/** What a request still needs, who has said what, and what can be done now. */
export function RequestReview({ projectId, request, timezone, access, actions }: Props) {
  const [asked, setAsked] = useState<Asked>();
  const { id, policy_snapshot: policy, apply_at } = request;
  const isWaiting = isOpen(request);

  async function decide(verb: Verb, reason: string): Promise<string | undefined> {
    const result = await attempt(() => actions.review(projectId, id, verb, reason));
    if (!result.ok) return result.error.detail;
    const { status, message } = result.data;
    if (status === "failed" || status === "expired") toast.error(message);
    else toast.success(message);
    return undefined;
  }
  const button = (verb: Verb, icon: typeof Check, label: string, variant?: "primary" | "danger-ghost") => {
    const dialog = DIALOGS[verb];
    return (
      <Permit access={access}>
        <Button
          icon={icon}
          variant={variant}
          {...refused(access)}
          onClick={() => access.may_write && setAsked(dialog)}
        >
          {label}
        </Button>
      </Permit>
    );
  };
  return (
    <Card title="Approval">
      <div className="flex flex-col gap-4 text-sm">
        <ul aria-label="Policies" className="flex flex-col gap-1.5">
          {policy.in_words.length === 0 ? <li>No policy requires approval.</li> : null}
          {policy.in_words.map((words) => (
            <li key={words} className="text-pretty">
              {words}
            </li>
          ))}
        </ul>
        {isWaiting ? <p className="font-medium">{stillNeeded(request)}</p> : null}
        {isWaiting && apply_at ? <p>{momentInWords(request, timezone)}</p> : null}
        <Votes request={request} />
        {isWaiting ? (
          <div className="flex flex-wrap gap-2">
            {request.can_approve ? (
              <>
                {button("approve", Check, "Approve…", "primary")}
                {button("request_changes", Undo2, "Ask for changes…")}
                {button("reject", X, "Reject…", "danger-ghost")}
              </>
            ) : null}
            {request.can_apply ? button("apply", Rocket, "Apply now…", "primary") : null}
            {request.is_requester ? (
              <ApplyAtButton {...{ projectId, request, timezone, access, actions }} />
            ) : null}
            {request.is_requester && apply_at ? (
              <CancelMoment {...{ projectId, access, actions }} requestId={id} />
            ) : null}
            {request.can_cancel ? button("cancel", X, "Cancel request…", "danger-ghost") : null}
            {request.can_bypass && !request.can_apply
              ? button("bypass", ShieldAlert, "Bypass…", "danger-ghost")
              : null}
          </div>
        ) : null}
        {request.state === "pending" && !request.can_approve && !request.can_apply ? (
          <p className="text-muted text-xs">{whyNot(request)}</p>
        ) : null}
        {isWaiting ? <Comment access={access} send={(text) => decide("comment", text)} /> : null}
      </div>
      {asked ? (
        <DecisionDialog
          asked={asked}
          impact={`${impactInWords(request)}.`}
          onClose={() => setAsked(undefined)}
          onConfirm={(reason) => decide(asked.verb, reason)}
        />
      ) : null}
    </Card>
  );
}

/** What a request still needs. */
function stillNeeded({ approvals_missing, policy_snapshot, state }: ChangeRequest): string {
  if (policy_snapshot.in_words.length === 0 && state !== "approved")
    return "Whoever requested it can apply it without a review.";
  return state !== "approved" && approvals_missing > 0
    ? `${plural(approvals_missing, "more approval", "more approvals")} needed.`
    : "No more approvals needed.";
}

/** When it is applied. */
function momentInWords({ apply_at, state }: ChangeRequest, timezone: string): string {
  const at = Date.parse(apply_at ?? "");
  const moment = formatMomentIn(at, timezone);
  if (state === "approved") return `It will be checked again and applied on ${moment}.`;
  return `Once approved, it will be applied on ${moment}. A later approval applies it at once.`;
}

/** Why the reader cannot approve it. */
function whyNot({ is_requester, user_decision, approvals }: ChangeRequest): string {
  if (user_decision !== null) return "You have already decided.";
  if (is_requester) return "You requested this, so somebody else has to approve it.";
  if (approvals.some(({ decision }) => decision === "changes_requested"))
    return "A reviewer has asked for changes. It has to be revised first.";
  return "The policies name other approvers.";
}

const VOTES: Record<ChangeRequest["approvals"][number]["decision"], { word: string; tone: Tone }> = {
  approved: { word: "Approved", tone: "success" },
  rejected: { word: "Rejected", tone: "danger" },
  changes_requested: { word: "Asked for changes", tone: "warning" },
};

/** Votes and comments in the order in which they were given. */
function Votes({ request: { approvals, comments } }: { request: ChangeRequest }) {
  const said = [...approvals, ...comments.map((comment) => ({ ...comment, decision: null }))].sort(
    (a, b) => a.id - b.id,
  );
  if (said.length === 0) return null;
  return (
    <ol aria-label="Discussion" className="flex flex-col gap-3 border-t pt-3">
      {said.map(({ id, created_by, decision, reason, created_at }) => {
        const name = personName(created_by) ?? "Somebody who has left";
        const vote = decision && VOTES[decision];
        return (
          <li key={id} className="flex gap-2.5">
            <Avatar name={name} className="mt-0.5" />
            <div className="min-w-0 flex-1">
              <p className="flex flex-wrap items-center gap-x-2 gap-y-0.5 text-xs">
                <span className="font-medium text-ink">{name}</span>
                {vote ? <Badge tone={vote.tone}>{vote.word}</Badge> : null}
                <RelativeTime date={created_at} className="text-faint" />
              </p>
              {reason ? <p className="whitespace-pre-wrap break-words">{reason}</p> : null}
            </div>
          </li>
        );
      })}
    </ol>
  );
}

function Comment({ access, send }: { access: Access; send: (text: string) => Promise<string | undefined> }) {
  const [text, setText] = useState("");
  const [problem, setProblem] = useState<string>();
  const [sending, setSending] = useState(false);

  async function submit() {
    if (!access.may_write || text.trim() === "") return;
    setSending(true);
    const trouble = await send(text.trim());
    setSending(false);
    setProblem(trouble);
    if (trouble === undefined) setText("");
  }
  return (
    <div className="flex flex-col gap-2 border-t pt-3">
      <Field label="Comment" hideLabel error={problem}>
        <Textarea
          rows={2}
          value={text}
          placeholder="Leave a comment"
          onChange={(event) => setText(event.target.value)}
        />
      </Field>
      <Permit access={access}>
        <Button
          size="sm"
          icon={MessageSquare}
          className="self-start"
          loading={sending}
          disabled={access.may_write && text.trim() === ""}
          {...refused(access)}
          onClick={() => void submit()}
        >
          Comment
        </Button>
      </Permit>
    </div>
  );
}

type DecisionProps = {
  asked: Asked;
  /** Whose value the request changes, in words. */
  impact: string;
  onClose: () => void;
  onConfirm: (reason: string) => Promise<string | undefined>;
};

function DecisionDialog({ asked, impact, onClose, onConfirm }: DecisionProps) {
  const [reason, setReason] = useState("");
  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={asked.title}
      description={asked.verb === "apply" ? impact : asked.description}
      confirmLabel={asked.label}
      cancelLabel="Back"
      danger={asked.danger ?? false}
      blocked={asked.reason === "required" && reason.trim() === ""}
      onConfirm={() => onConfirm(reason.trim())}
    >
      {asked.reason === "none" ? null : (
        <Field label="Reason" optional={asked.reason === "optional"} required={asked.reason === "required"}>
          <Textarea rows={3} value={reason} onChange={(event) => setReason(event.target.value)} />
        </Field>
      )}
    </ConfirmDialog>
  );
}
