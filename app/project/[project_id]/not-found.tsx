import { SearchX } from "lucide-react";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { Page } from "#components/ui/page-header.tsx";

export default function NotFound() {
  return (
    <Page>
      <EmptyState icon={SearchX} title="There is nothing here">
        It may have been deleted for good, or the address is mistyped.
      </EmptyState>
    </Page>
  );
}
