import { Page, PageHeader } from "#components/ui/page-header.tsx";
import { FormSkeleton } from "#components/ui/skeleton.tsx";

export default function Loading() {
  return (
    <Page width="form">
      <PageHeader title="Project" description="What it is called, how SDKs reach it, and who works in it." />
      <FormSkeleton fields={5} />
    </Page>
  );
}
