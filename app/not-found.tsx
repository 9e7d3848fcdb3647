import type { Metadata } from "next";
import { SoloPage } from "#components/frame/solo-page.tsx";
import { ButtonLink } from "#components/ui/button.tsx";

export const metadata: Metadata = { title: "Not found" };

export default function NotFound() {
  return (
    <SoloPage
      title="There is nothing here"
      description="The address may be mistyped, or what it led to belongs to a project that your key does not open."
    >
      <div>
        <ButtonLink href="/" variant="primary">
          Go to your projects
        </ButtonLink>
      </div>
    </SoloPage>
  );
}
