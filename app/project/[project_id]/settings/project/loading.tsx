import { Page, PageHeader } from "#components/ui/display/page-header.tsx";
import { FormSkeleton } from "#components/ui/display/skeleton.tsx";

export default function Loading() {
  return (
    <Page width="form">
      <PageHeader title="Project" description="Its name, SDK tokens, members and data." />
      <FormSkeleton fields={5} />
    </Page>
  );
}
