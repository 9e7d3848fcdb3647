import { UsersRound } from "lucide-react";
import { EmptyState } from "#components/ui/display/empty-state.tsx";
import { Page, PageHeader } from "#components/ui/display/page-header.tsx";

export default function NotFound() {
  return (
    <Page width="form">
      <PageHeader title="Not found" />
      <EmptyState icon={UsersRound} title="Cohort not found">
        It may belong to another project, or the address may be wrong.
      </EmptyState>
    </Page>
  );
}
