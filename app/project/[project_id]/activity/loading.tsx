import { LoadingPage } from "#components/kit/loading-page.tsx";

export default function Loading() {
  return (
    <LoadingPage
      title="Activity"
      description="Who changed what in this project, with the values before and after."
      width="wide"
      search
      table={{ rows: 8, columns: 2 }}
    />
  );
}
