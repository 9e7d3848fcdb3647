import { SearchX } from "lucide-react";
import { EmptyState } from "#components/ui/display/empty-state.tsx";
import { Page, PageHeader } from "#components/ui/display/page-header.tsx";

export default function NotFound() {
  return (
    <Page width="form">
      <PageHeader title="Page not found" />
      <EmptyState icon={SearchX} title="Nothing is at this address">
        It may have been permanently deleted, or the address may be wrong.
      </EmptyState>
    </Page>
  );
}
