import { LoadingPage } from "#components/kit/loading-page.tsx";

export default function Loading() {
  return (
    <LoadingPage
      title="API keys"
      description="For scripts, servers and people. Each key can do only what its scopes allow."
      table={{ rows: 6, columns: 6 }}
    />
  );
}
