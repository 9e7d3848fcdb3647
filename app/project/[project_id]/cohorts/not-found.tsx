import { UsersRound } from "lucide-react";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { Page, PageHeader } from "#components/ui/page-header.tsx";

export default function NotFound() {
  return (
    <Page width="form">
      <PageHeader title="Not found" />
      <EmptyState icon={UsersRound} title="There is no such cohort">
        It may belong to another project, or the address has a mistake in it.
      </EmptyState>
    </Page>
  );
}
