import { LoadingPage } from "#components/kit/loading-page.tsx";

export default function Loading() {
  return (
    <LoadingPage
      title="Notifications"
      description="Send notifications about this project to other people and systems."
      width="wide"
      table={{ rows: 5, columns: 4 }}
    />
  );
}
