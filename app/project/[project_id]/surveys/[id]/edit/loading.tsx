import { Page, PageHeader } from "#components/ui/display/page-header.tsx";
import { FormSkeleton } from "#components/ui/display/skeleton.tsx";

export default function Loading() {
  return (
    <Page>
      <PageHeader title="Survey" />
      <FormSkeleton fields={5} />
    </Page>
  );
}
