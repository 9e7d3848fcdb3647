"use client";

import { UserX } from "lucide-react";
import { MissingPage } from "#components/kit/missing-page.tsx";

export default function PersonNotFound() {
  return (
    <MissingPage icon={UserX} what="Person" path="persons" place="people">
      They may have been merged into another person or erased, or the address may be wrong.
    </MissingPage>
  );
}
