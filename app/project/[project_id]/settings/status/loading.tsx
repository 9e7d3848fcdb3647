import { Page, PageHeader } from "#components/ui/display/page-header.tsx";
import { FormSkeleton } from "#components/ui/display/skeleton.tsx";

export default function Loading() {
  return (
    <Page width="form">
      <PageHeader title="Health & data" description="Service health, storage and backups." />
      <FormSkeleton fields={5} />
    </Page>
  );
}
