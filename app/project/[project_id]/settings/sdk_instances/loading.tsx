import { LoadingPage } from "#components/kit/loading-page.tsx";

export default function Loading() {
  return (
    <LoadingPage
      title="Health & data"
      description="SDKs that evaluate flags themselves, and which definitions each running instance has."
      fields={6}
    />
  );
}
