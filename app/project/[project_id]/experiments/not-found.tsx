"use client";

import { FlaskConicalOff } from "lucide-react";
import { MissingPage } from "#components/kit/missing-page.tsx";

export default function ExperimentNotFound() {
  return (
    <MissingPage icon={FlaskConicalOff} what="Experiment" path="experiments" place="experiments">
      It may have been deleted or belong to another project, or the address may be wrong.
    </MissingPage>
  );
}
