import type { Metadata } from "next";
import { SoloPage } from "#components/frame/solo-page.tsx";
import { Callout } from "#components/ui/display/callout.tsx";
import { textLinkClass } from "#components/ui/text-link-class.ts";
import { localPath } from "#lib/app/session/local-path.ts";
import { readSession } from "#lib/app/session/session.ts";
import { config } from "#lib/platform/config.ts";
import { SignInForm } from "./form.tsx";

export const metadata: Metadata = { title: "Sign in" };

type SignInPageProps = { searchParams: Promise<Record<string, string | string[] | undefined>> };

const one = (value: string | string[] | undefined) => (Array.isArray(value) ? value[0] : value);

/** Never redirects by itself, so that a refused key cannot cause a redirect loop. */
export default async function SignInPage({ searchParams }: SignInPageProps) {
  const query = await searchParams;
  const expired = one(query.reason) === "expired";
  const signedIn = !expired && (await readSession()) !== null;
  const others = config().apiBaseUrls.map((url) => ({
    value: url,
    label: new URL(url).host,
    description: url,
  }));
  const bases = [{ value: "own", label: "This Switchyard", description: "Its own API" }, ...others];
  return (
    <SoloPage
      title="Sign in"
      description="With a personal API key. Its scopes decide what you can see and change."
    >
      {expired ? (
        <Callout tone="warning" title="You were signed out">
          Your key has expired, was revoked, or is no longer allowed here.
        </Callout>
      ) : null}
      {signedIn ? (
        <p className="text-muted text-sm">
          You are already signed in.{" "}
          <a href="/" className={textLinkClass}>
            Go to your projects
          </a>
          , or use another key:
        </p>
      ) : null}
      <SignInForm bases={bases} next={localPath(one(query.next))} />
    </SoloPage>
  );
}
