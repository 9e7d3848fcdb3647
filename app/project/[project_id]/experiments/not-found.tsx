import { FlaskConicalOff } from "lucide-react";
import { EmptyState } from "#components/ui/display/empty-state.tsx";
import { Page, PageHeader } from "#components/ui/display/page-header.tsx";

export default function NotFound() {
  return (
    <Page>
      <PageHeader title="Not found" />
      <EmptyState icon={FlaskConicalOff} title="Experiment not found">
        It may have been deleted, or it belongs to another project.
      </EmptyState>
    </Page>
  );
}
