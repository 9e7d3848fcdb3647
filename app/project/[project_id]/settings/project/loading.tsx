import { LoadingPage } from "#components/kit/loading-page.tsx";

export default function Loading() {
  return (
    <LoadingPage
      title="Project"
      description="Its name, SDK tokens, members and data."
      width="form"
      fields={5}
    />
  );
}
