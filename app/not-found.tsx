import type { Metadata } from "next";
import { SoloPage } from "#components/frame/solo-page.tsx";
import { buttonClass } from "#components/ui/button-class.ts";

export const metadata: Metadata = { title: "Not found" };

export default function NotFound() {
  return (
    <SoloPage
      title="Page not found"
      description="The address may be wrong, or the page belongs to a project that your key cannot access."
    >
      <div>
        <a href="/" className={buttonClass("primary")}>
          Go to your projects
        </a>
      </div>
    </SoloPage>
  );
}
