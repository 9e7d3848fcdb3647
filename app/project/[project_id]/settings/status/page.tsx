import { Lock } from "lucide-react";
import type { Metadata } from "next";
import { HealthTabs } from "#components/frame/health-tabs.tsx";
import { AuditCard } from "#components/instance_status/audit-card.tsx";
import { BackupCard } from "#components/instance_status/backup-card.tsx";
import { JobsCard } from "#components/instance_status/jobs-card.tsx";
import { RelayCard } from "#components/instance_status/relay-card.tsx";
import { StatementsCard } from "#components/instance_status/statements-card.tsx";
import { HealthCard, SizeCard } from "#components/instance_status/status-cards.tsx";
import { EmptyState } from "#components/ui/display/empty-state.tsx";
import { Page, PageHeader } from "#components/ui/display/page-header.tsx";
import { instanceStatusContract } from "#lib/app/instance_status/contract.ts";
import { accessTo, permitted } from "#lib/app/session/permitted.ts";
import { publicAddress } from "#lib/app/session/public-address.ts";
import { requireWho } from "#lib/app/session/who.ts";
import { auditContract } from "#lib/audit/contract.ts";
import { retryJobs } from "./actions.ts";

export const metadata: Metadata = { title: "Health & data" };

type Props = { params: Promise<{ project_id: string }> };

export default async function StatusPage({ params }: Props) {
  const { project_id } = await params;
  const { api } = await requireWho();
  const [status, audit, access, address] = await Promise.all([
    permitted(api.call(instanceStatusContract.retrieve, {})),
    permitted(api.call(auditContract.status, { params: { project_id } })),
    accessTo("organization:write", "retry jobs"),
    publicAddress(),
  ]);
  return (
    <Page width="form">
      <PageHeader
        title="Health & data"
        description="Service health, storage and backups."
        tabs={<HealthTabs projectId={project_id} current="status" />}
      />
      {status === null ? (
        <EmptyState icon={Lock} title="Your API key cannot see this">
          It is for organization administrators whose key has the scope organization:read and is not
          restricted to projects.
        </EmptyState>
      ) : (
        <div className="flex flex-col gap-5">
          <HealthCard status={status} />
          <BackupCard backup={status.last_backup} schedule={status.backup_schedule} now={Date.now()} />
          <RelayCard publicKey={status.relay_public_key} address={address} />
          {audit ? <AuditCard status={audit} /> : null}
          <JobsCard kinds={status.jobs.kinds} access={access} retry={retryJobs} />
          <SizeCard database={status.database} />
          <StatementsCard statements={status.database.slow_statements} />
        </div>
      )}
    </Page>
  );
}
