import { LoadingPage } from "#components/kit/loading-page.tsx";

export default function Loading() {
  return <LoadingPage title="Flags at a point in time" fields={4} />;
}
