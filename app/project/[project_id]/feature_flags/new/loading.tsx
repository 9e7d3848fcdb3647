import { LoadingPage } from "#components/kit/loading-page.tsx";

export default function Loading() {
  return <LoadingPage title="New feature flag" width="wide" fields={5} />;
}
