import { LoadingPage } from "#components/kit/loading-page.tsx";

export default function Loading() {
  return (
    <LoadingPage
      title="Change requests"
      description="Changes that are waiting for approval, and what happened to earlier ones."
      table={{ rows: 5, columns: 4 }}
    />
  );
}
