import { Page, PageHeader } from "#components/ui/page-header.tsx";
import { FormSkeleton } from "#components/ui/skeleton.tsx";

export default function Loading() {
  return (
    <Page>
      <PageHeader title="New survey" />
      <FormSkeleton fields={5} />
    </Page>
  );
}
