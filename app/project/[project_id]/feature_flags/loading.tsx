import { LoadingPage } from "#components/kit/loading-page.tsx";

export default function Loading() {
  return (
    <LoadingPage
      title="Feature flags"
      description="Who gets which part of your product, decided on every request."
      search
      table={{ rows: 12, columns: 5 }}
    />
  );
}
