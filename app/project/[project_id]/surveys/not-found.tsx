import { MessageCircleOff } from "lucide-react";
import { EmptyState } from "#components/ui/display/empty-state.tsx";
import { Page, PageHeader } from "#components/ui/display/page-header.tsx";

export default function SurveyNotFound() {
  return (
    <Page width="form">
      <PageHeader title="Not found" />
      <EmptyState icon={MessageCircleOff} title="Survey not found">
        It may have been deleted or belong to another project, or the address is wrong.
      </EmptyState>
    </Page>
  );
}
