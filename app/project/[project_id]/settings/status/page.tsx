import { Lock } from "lucide-react";
import type { Metadata } from "next";
import { BackupCard } from "#components/instance_status/backup-card.tsx";
import { HealthCard, SizeCard } from "#components/instance_status/status-cards.tsx";
import { EmptyState } from "#components/ui/display/empty-state.tsx";
import { Page, PageHeader } from "#components/ui/display/page-header.tsx";
import { instanceStatusContract } from "#lib/app/instance_status/contract.ts";
import { permitted } from "#lib/app/session/permitted.ts";
import { requireWho } from "#lib/app/session/who.ts";

export const metadata: Metadata = { title: "Health & data" };

export default async function StatusPage() {
  const { api } = await requireWho();
  const status = await permitted(api.call(instanceStatusContract.retrieve, {}));
  return (
    <Page width="form">
      <PageHeader title="Health & data" description="Service health, storage and backups." />
      {status === null ? (
        <EmptyState icon={Lock} title="Your API key cannot see this">
          It is for organization administrators whose key has the scope organization:read and is not
          restricted to projects.
        </EmptyState>
      ) : (
        <div className="flex flex-col gap-5">
          <HealthCard status={status} />
          <BackupCard backup={status.last_backup} now={Date.now()} />
          <SizeCard database={status.database} />
        </div>
      )}
    </Page>
  );
}
