import { Lock } from "lucide-react";
import { EmptyState } from "#components/ui/display/empty-state.tsx";
import { Page, PageHeader } from "#components/ui/display/page-header.tsx";
import type { Scope } from "#lib/platform/http/contract.ts";

/** Shown instead of a page that the signed-in key cannot read. */
export function Locked({ what, scope }: { what: string; scope: Scope }) {
  return (
    <Page width="form">
      <PageHeader title="No access with this key" />
      <EmptyState icon={Lock} title={`Your API key cannot read ${what}`}>
        {`Sign in with a key that has the scope ${scope}.`}
      </EmptyState>
    </Page>
  );
}
