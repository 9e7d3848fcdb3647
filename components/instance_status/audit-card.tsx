import { Callout } from "#components/ui/display/callout.tsx";
import { Card, Facts } from "#components/ui/display/card.tsx";
import { Code } from "#components/ui/display/code-block.tsx";
import { RelativeTime } from "#components/ui/display/relative-time.tsx";
import { findAlarms } from "#lib/audit/alarm.ts";
import type { AuditStatus } from "#lib/audit/schema.ts";
import { formatCount, plural } from "#lib/platform/format.ts";

/** How the audit log is sealed, and where its checkpoints are stored. */
export function AuditCard({ status }: { status: AuditStatus }) {
  const { checkpoint, verification, file, witness, public_key } = status;
  return (
    <Card
      id="audit"
      title="Audit log"
      description="Every change, key, sign-in and erasure, in a chain of hashes that is signed within a second of each change."
    >
      <div className="flex flex-col gap-4 text-sm">
        {findAlarms(status).map(({ title, lines, advice }) => (
          <Callout key={title} tone="danger" title={title}>
            {lines.map((line) => (
              <p key={line}>{line}</p>
            ))}
            <p className="mt-1 text-ink">{advice}</p>
          </Callout>
        ))}
        <Facts
          items={[
            {
              term: "Last checkpoint",
              value: checkpoint ? (
                <>
                  Entry <span className="tabular">{formatCount(checkpoint.position)}</span>,{" "}
                  <RelativeTime date={checkpoint.signed_at} />
                </>
              ) : (
                "None yet"
              ),
            },
            {
              term: "Verified",
              value: verification ? (
                <>
                  {verification.problems.length > 0
                    ? plural(verification.problems.length + verification.more, "problem")
                    : `${plural(verification.entries, "entry", "entries")}, all as they were sealed`}
                  , <RelativeTime date={verification.at} />
                </>
              ) : (
                "Not yet: every night at 4:00 UTC, or from the Activity page"
              ),
            },
            { term: "File", value: <Copy copy={file} variable="AUDIT_CHECKPOINTS" /> },
            { term: "Other Switchyard", value: <Copy copy={witness} variable="AUDIT_WITNESS_URL" /> },
            { term: "Public key", value: <span className="break-all font-mono text-xs">{public_key}</span> },
          ]}
        />
        <p className="text-pretty text-muted text-xs">
          Write the public key down somewhere else. Verify on the server with{" "}
          <Code>npm run verify -- --audit</Code>, or an export with <Code>tools/check-audit-log.mjs</Code>,
          which needs nothing but Node.
        </p>
      </div>
    </Card>
  );
}

function Copy({ copy, variable }: { copy: AuditStatus["file"]; variable: string }) {
  if (copy === null)
    return (
      <>
        Not used. With <Code>{variable}</Code>, entries that are removed from the end are noticed, too.
      </>
    );
  if (copy.problem !== null) return <span className="text-danger-text">Failed</span>;
  if (copy.at === null) return "Nothing stored yet";
  return (
    <>
      Has checkpoints up to entry <span className="tabular">{formatCount(copy.position)}</span>,{" "}
      <RelativeTime date={copy.at} />
    </>
  );
}
