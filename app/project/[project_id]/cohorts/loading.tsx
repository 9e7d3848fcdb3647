import { LoadingPage } from "#components/kit/loading-page.tsx";

export default function Loading() {
  return (
    <LoadingPage
      title="People & cohorts"
      description="The people who use your product, and the cohorts that flags target."
      search
      table={{ rows: 6, columns: 5 }}
    />
  );
}
