import { LoadingPage } from "#components/kit/loading-page.tsx";

export default function Loading() {
  return <LoadingPage title="Promote" width="form" fields={4} />;
}
