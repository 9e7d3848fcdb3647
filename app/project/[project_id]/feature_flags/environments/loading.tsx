import { LoadingPage } from "#components/kit/loading-page.tsx";

export default function Loading() {
  return <LoadingPage title="Environments" width="wide" search table={{ rows: 8, columns: 3 }} />;
}
