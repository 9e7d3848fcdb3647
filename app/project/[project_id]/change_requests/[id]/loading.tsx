import { LoadingPage } from "#components/kit/loading-page.tsx";

export default function Loading() {
  return <LoadingPage title="Change request" width="wide" fields={4} />;
}
