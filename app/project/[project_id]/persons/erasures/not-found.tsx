"use client";

import { UserX } from "lucide-react";
import { MissingPage } from "#components/kit/missing-page.tsx";

export default function ErasureNotFound() {
  return (
    <MissingPage icon={UserX} what="Erasure" path="persons/erasures" place="erasures">
      It may belong to another project, or the address may be wrong.
    </MissingPage>
  );
}
