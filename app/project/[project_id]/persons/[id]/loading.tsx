import { LoadingPage } from "#components/kit/loading-page.tsx";

export default function Loading() {
  return <LoadingPage width="wide" table={{ rows: 8, columns: 3 }} />;
}
