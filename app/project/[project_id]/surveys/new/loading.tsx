import { LoadingPage } from "#components/kit/loading-page.tsx";

export default function Loading() {
  return <LoadingPage title="New survey" fields={5} />;
}
