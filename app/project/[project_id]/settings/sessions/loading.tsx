import { LoadingPage } from "#components/kit/loading-page.tsx";

export default function Loading() {
  return (
    <LoadingPage
      title="Sessions"
      description="Where you are signed in. Ending a session signs that browser out at once."
      width="form"
      fields={3}
    />
  );
}
