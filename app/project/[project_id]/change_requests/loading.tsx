import { LoadingPage } from "#components/kit/loading-page.tsx";

export default function Loading() {
  return (
    <LoadingPage
      title="Change requests"
      description="Changes that wait for approval, and what became of them."
      table={{ rows: 5, columns: 4 }}
    />
  );
}
