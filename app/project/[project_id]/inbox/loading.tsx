import { LoadingPage } from "#components/kit/loading-page.tsx";

export default function Loading() {
  return (
    <LoadingPage
      title="What needs you today"
      description="Everything in this project that is waiting for somebody, most urgent first."
      width="wide"
      table={{ rows: 6, columns: 2 }}
    />
  );
}
