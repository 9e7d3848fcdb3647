import { LoadingPage } from "#components/kit/loading-page.tsx";

export default function Loading() {
  return (
    <LoadingPage
      title="Approvals"
      description="Which changes have to be approved before they take effect."
      width="form"
      fields={4}
    />
  );
}
