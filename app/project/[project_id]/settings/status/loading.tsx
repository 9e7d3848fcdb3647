import { Page, PageHeader } from "#components/ui/page-header.tsx";
import { FormSkeleton } from "#components/ui/skeleton.tsx";

export default function Loading() {
  return (
    <Page width="form">
      <PageHeader
        title="Health & data"
        description="How the service is, what its data takes, and when it was saved."
      />
      <FormSkeleton fields={5} />
    </Page>
  );
}
