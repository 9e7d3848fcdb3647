import { Download, ShieldCheck, ShieldX } from "lucide-react";
import type { verifyLog } from "#app/project/[project_id]/activity/actions.ts";
import type { Access } from "#components/kit/access.tsx";
import { buttonClass } from "#components/ui/button-class.ts";
import { Callout } from "#components/ui/display/callout.tsx";
import { RelativeTime } from "#components/ui/display/relative-time.tsx";
import { findAlarms } from "#lib/audit/alarm.ts";
import type { AuditStatus } from "#lib/audit/schema.ts";
import { formatCount, plural } from "#lib/platform/format.ts";
import { VerifyButton } from "./verify-button.tsx";

type Props = { projectId: string; status: AuditStatus; access: Access; verify: typeof verifyLog };

/** Up to where the log is sealed, whether that was verified, and the file that proves it. */
export function AuditStrip({ projectId, status, access, verify }: Props) {
  const alarms = findAlarms(status);
  const Icon = alarms.length > 0 ? ShieldX : ShieldCheck;
  return (
    <section aria-label="Audit log" className="mb-4 flex flex-col gap-3">
      {alarms.map(({ title, lines, advice }) => (
        <Callout key={title} tone="danger" title={title}>
          {lines.map((line) => (
            <p key={line}>{line}</p>
          ))}
          <p className="mt-1 text-ink">{advice}</p>
        </Callout>
      ))}
      <div className="flex flex-wrap items-center gap-x-4 gap-y-3 rounded-lg border border-line bg-surface px-4 py-3 text-sm">
        <Icon
          aria-hidden="true"
          className={`size-5 shrink-0 ${alarms.length > 0 ? "text-danger-text" : "text-success-text"}`}
        />
        <div className="min-w-0 flex-1 basis-72">
          <p className="font-medium">
            <Sealed status={status} />
          </p>
          <p className="text-pretty text-muted text-xs">
            Every change is part of a signed chain of hashes: none can be altered, removed or added later
            without breaking it.
          </p>
        </div>
        <div className="flex flex-wrap gap-2">
          <VerifyButton
            projectId={projectId}
            access={access}
            verify={verify}
            isVerifying={status.is_verifying}
          />
          {status.checkpoint ? (
            <a
              href={`/bff/api/projects/${projectId}/audit_log/export/`}
              download={`audit-log-${projectId}.jsonl`}
              className={buttonClass(undefined, "sm")}
            >
              <Download aria-hidden="true" />
              Export with proof
            </a>
          ) : null}
        </div>
      </div>
    </section>
  );
}

function Sealed({ status: { checkpoint, unsealed, verification } }: { status: AuditStatus }) {
  if (!checkpoint) return "Nothing is sealed yet.";
  return (
    <>
      Sealed up to entry <span className="tabular">{formatCount(checkpoint.position)}</span>,{" "}
      <RelativeTime date={checkpoint.signed_at} />
      {unsealed.count > 0 ? `, ${plural(unsealed.count, "change")} still to be sealed` : ""} ·{" "}
      {verification === null ? (
        "not verified yet"
      ) : verification.problems.length > 0 ? (
        <span className="text-danger-text">
          verification failed <RelativeTime date={verification.at} />
        </span>
      ) : (
        <>
          verified{" "}
          {verification.entries < checkpoint.position ? (
            <>
              up to entry <span className="tabular">{formatCount(verification.entries)}</span>,{" "}
            </>
          ) : null}
          <RelativeTime date={verification.at} />
        </>
      )}
    </>
  );
}
