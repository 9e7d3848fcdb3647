"use client";

import { UsersRound } from "lucide-react";
import { MissingPage } from "#components/kit/missing-page.tsx";

export default function CohortNotFound() {
  return (
    <MissingPage icon={UsersRound} what="Cohort" path="cohorts" place="cohorts">
      It may belong to another project, or the address may be wrong.
    </MissingPage>
  );
}
