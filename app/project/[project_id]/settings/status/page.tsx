import { Lock } from "lucide-react";
import type { Metadata } from "next";
import { BackupCard } from "#components/instance_status/backup_card.tsx";
import { HealthCard, SizeCard } from "#components/instance_status/status_cards.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { Page, PageHeader } from "#components/ui/page-header.tsx";
import { permitted } from "#lib/dashboard/permitted.ts";
import { requireWho } from "#lib/dashboard/who.ts";
import { instanceStatusContract } from "#lib/instance_status/contract.ts";

export const metadata: Metadata = { title: "Health & data" };

export default async function StatusPage() {
  const { api } = await requireWho();
  const status = await permitted(api.call(instanceStatusContract.retrieve, {}));
  return (
    <Page width="form">
      <PageHeader
        title="Health & data"
        description="How the service is, what its data takes, and when it was saved."
      />
      {status === null ? (
        <EmptyState icon={Lock} title="Your API key may not see this">
          It is for administrators of the organization, with a key that has the scope organization:read and is
          not restricted to projects.
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
