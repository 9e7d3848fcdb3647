import type { Metadata } from "next";
import { SoloPage } from "#components/frame/solo-page.tsx";
import { ButtonLink } from "#components/ui/button.tsx";

export const metadata: Metadata = { title: "Not found" };

export default function NotFound() {
  return (
    <SoloPage
      title="Page not found"
      description="The address may be wrong, or the page belongs to a project that your key cannot access."
    >
      <div>
        <ButtonLink href="/" variant="primary">
          Go to your projects
        </ButtonLink>
      </div>
    </SoloPage>
  );
}
