"use client";

import { Failure } from "#components/frame/failure.tsx";
import { Page, PageHeader } from "#components/ui/display/page-header.tsx";

type ErrorPageProps = { error: Error & { digest?: string }; retry: () => void };

/** Keeps the sidebar: only the page failed. */
export default function ErrorPage({ error, retry }: ErrorPageProps) {
  return (
    <Page>
      <PageHeader title="This page could not be shown" />
      <Failure digest={error.digest} retry={retry} />
    </Page>
  );
}
