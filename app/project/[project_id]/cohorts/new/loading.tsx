import { Page, PageHeader } from "#components/ui/page-header.tsx";
import { FormSkeleton } from "#components/ui/skeleton.tsx";

export default function Loading() {
  return (
    <Page width="form">
      <PageHeader title="New cohort" />
      <FormSkeleton fields={4} />
    </Page>
  );
}
