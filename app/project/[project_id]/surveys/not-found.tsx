import { MessageCircleOff } from "lucide-react";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { Page } from "#components/ui/page-header.tsx";

export default function SurveyNotFound() {
  return (
    <Page width="form">
      <EmptyState icon={MessageCircleOff} title="There is no such survey">
        It may have been deleted, belong to another project, or the address has a mistake in it.
      </EmptyState>
    </Page>
  );
}
