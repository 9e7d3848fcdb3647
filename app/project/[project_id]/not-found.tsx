import { SearchX } from "lucide-react";
import { EmptyState } from "#components/ui/display/empty-state.tsx";
import { Page } from "#components/ui/display/page-header.tsx";

export default function NotFound() {
  return (
    <Page>
      <EmptyState icon={SearchX} title="Page not found">
        It may have been permanently deleted, or the address may be wrong.
      </EmptyState>
    </Page>
  );
}
