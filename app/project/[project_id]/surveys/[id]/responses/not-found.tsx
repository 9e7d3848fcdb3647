"use client";

import { MessageCircleOff } from "lucide-react";
import { MissingPage } from "#components/kit/missing-page.tsx";

export default function ResponseNotFound() {
  return (
    <MissingPage icon={MessageCircleOff} what="Response" path="surveys" place="surveys">
      It may have been erased with its person, or the address may be wrong.
    </MissingPage>
  );
}
