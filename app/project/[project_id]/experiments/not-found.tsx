import { FlaskConicalOff } from "lucide-react";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { Page } from "#components/ui/page-header.tsx";

export default function NotFound() {
  return (
    <Page>
      <EmptyState icon={FlaskConicalOff} title="There is no such experiment">
        It may have been deleted, or it belongs to another project.
      </EmptyState>
    </Page>
  );
}
