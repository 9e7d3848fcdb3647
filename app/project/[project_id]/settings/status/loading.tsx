import { LoadingPage } from "#components/kit/loading-page.tsx";

export default function Loading() {
  return (
    <LoadingPage
      title="Health & data"
      description="Service health, storage and backups."
      width="form"
      fields={5}
    />
  );
}
