import { LoadingPage } from "#components/kit/loading-page.tsx";

export default function Loading() {
  return (
    <LoadingPage
      title="Experiments"
      description="Find out whether a change works by comparing people who got it with people who did not."
      search
      table={{ rows: 10, columns: 6 }}
    />
  );
}
