"use client";

import { Failure } from "#components/frame/failure.tsx";
import { SoloPage } from "#components/frame/solo-page.tsx";

type ErrorPageProps = { error: Error & { digest?: string }; retry: () => void };

export default function ErrorPage({ error, retry }: ErrorPageProps) {
  return (
    <SoloPage title="This page could not be shown">
      <Failure digest={error.digest} retry={retry} />
    </SoloPage>
  );
}
