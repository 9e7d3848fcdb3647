"use client";

import { FlaskConicalOff } from "lucide-react";
import { MissingPage } from "#components/kit/missing-page.tsx";

export default function HoldoutNotFound() {
  return (
    <MissingPage icon={FlaskConicalOff} what="Holdout" path="experiments/holdouts" place="holdouts">
      It may have been deleted or belong to another project, or the address may be wrong.
    </MissingPage>
  );
}
