import { LoadingPage } from "#components/kit/loading-page.tsx";

export default function Loading() {
  return (
    <LoadingPage
      title="Surveys"
      description="Ask people while they use your product, and see what they say."
      search
      table={{ rows: 10, columns: 5 }}
    />
  );
}
