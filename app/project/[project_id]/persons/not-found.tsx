import { UserX } from "lucide-react";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { Page, PageHeader } from "#components/ui/page-header.tsx";

export default function NotFound() {
  return (
    <Page width="form">
      <PageHeader title="Not found" />
      <EmptyState icon={UserX} title="There is no such person">
        It may have been merged into another one, or the address has a mistake in it.
      </EmptyState>
    </Page>
  );
}
