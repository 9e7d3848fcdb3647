import { Page, PageHeader } from "#components/ui/display/page-header.tsx";
import { FormSkeleton } from "#components/ui/display/skeleton.tsx";

export default function Loading() {
  return (
    <Page width="form">
      <PageHeader title="New cohort" />
      <FormSkeleton fields={4} />
    </Page>
  );
}
