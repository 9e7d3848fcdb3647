import { FlagOff } from "lucide-react";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { Page } from "#components/ui/page-header.tsx";

export default function FlagNotFound() {
  return (
    <Page width="form">
      <EmptyState icon={FlagOff} title="There is no such flag">
        It may belong to another project, or the address has a mistake in it.
      </EmptyState>
    </Page>
  );
}
