import { LoadingPage } from "#components/kit/loading-page.tsx";

export default function Loading() {
  return (
    <LoadingPage
      title="Notifications"
      description="Where other people and systems hear of what happens in this project."
      width="wide"
      table={{ rows: 5, columns: 4 }}
    />
  );
}
