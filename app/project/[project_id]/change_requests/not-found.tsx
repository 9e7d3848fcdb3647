"use client";

import { GitPullRequestClosed } from "lucide-react";
import { MissingPage } from "#components/kit/missing-page.tsx";

export default function RequestNotFound() {
  return (
    <MissingPage
      icon={GitPullRequestClosed}
      what="Change request"
      path="change_requests"
      place="change requests"
    >
      It may belong to another project, or the address may be wrong.
    </MissingPage>
  );
}
