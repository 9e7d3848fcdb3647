import { Lock } from "lucide-react";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { Page, PageHeader } from "#components/ui/page-header.tsx";
import type { Scope } from "#lib/http/contract.ts";

/** A page that the signed-in key may not read. */
export function Locked({ what, scope }: { what: string; scope: Scope }) {
  return (
    <Page width="form">
      <PageHeader title="Not for this key" />
      <EmptyState icon={Lock} title={`Your API key may not read ${what}`}>
        {`Sign in with a key that has the scope ${scope}.`}
      </EmptyState>
    </Page>
  );
}
