"use client";

import { FlagOff } from "lucide-react";
import { MissingPage } from "#components/kit/missing-page.tsx";

export default function FlagNotFound() {
  return (
    <MissingPage icon={FlagOff} what="Flag" path="feature_flags" place="feature flags">
      It may belong to another project, or the address may be wrong.
    </MissingPage>
  );
}
