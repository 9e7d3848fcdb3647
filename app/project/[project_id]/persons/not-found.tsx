import { UserX } from "lucide-react";
import { EmptyState } from "#components/ui/display/empty-state.tsx";
import { Page, PageHeader } from "#components/ui/display/page-header.tsx";

export default function NotFound() {
  return (
    <Page width="form">
      <PageHeader title="Not found" />
      <EmptyState icon={UserX} title="Person not found">
        They may have been merged into another person, or the address may be wrong.
      </EmptyState>
    </Page>
  );
}
