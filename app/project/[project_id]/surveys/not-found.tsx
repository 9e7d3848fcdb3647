"use client";

import { MessageCircleOff } from "lucide-react";
import { MissingPage } from "#components/kit/missing-page.tsx";

export default function SurveyNotFound() {
  return (
    <MissingPage icon={MessageCircleOff} what="Survey" path="surveys" place="surveys">
      It may have been deleted or belong to another project, or the address may be wrong.
    </MissingPage>
  );
}
