import type { Route } from "next";
import { redirect } from "next/navigation";
import { SoloPage } from "#components/frame/solo-page.tsx";
import { Button } from "#components/ui/button.tsx";
import { requireWho } from "#lib/app/session/who.ts";
import { signOutAction } from "./sign-in/actions.ts";

/** Redirects to the first project that the key can access. */
export default async function HomePage() {
  const { who } = await requireWho();
  const first = who.projects[0];
  if (first) redirect(`/project/${first.id}` as Route);
  return (
    <SoloPage title="This key has no access to any project">
      <p className="text-muted text-sm">
        It is restricted to projects that no longer exist, or its owner has left them. Ask for another key, or
        sign in with a different one.
      </p>
      <form action={signOutAction}>
        <Button type="submit" variant="primary">
          Use another key
        </Button>
      </form>
    </SoloPage>
  );
}
