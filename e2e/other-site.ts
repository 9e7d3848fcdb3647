import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type BrowserContext, expect, type Page } from "@playwright/test";
import type { PostHog } from "posthog-js";

declare global {
  interface Window {
    posthog: PostHog;
  }
}

/** Who comes to the site, and what the site tells the SDK. */
type Visitor = {
  token: string;
  host: string;
  id: string;
  properties?: Record<string, unknown>;
  path?: string;
};

/** The page as its owner writes it: the SDK's script from the service's address, and a call to start it. */
const html = ({
  token,
  host,
  id,
  properties,
}: Visitor) => `<!doctype html><html lang="en"><title>A shop</title>
<link rel="icon" href="data:,"><h1>A shop</h1><button id="give-feedback">Tell us</button>
<script>
window.posthog = Object.assign([], { _i: [[${JSON.stringify(token)}, {
  api_host: ${JSON.stringify(host)},
  opt_out_useragent_filter: true,
  person_profiles: "always",
  bootstrap: { distinctID: ${JSON.stringify(id)}, isIdentifiedID: true },
  loaded: (posthog) => posthog.setPersonProperties(${JSON.stringify(properties ?? {})}),
}, "posthog"]], __SV: 1 });
</script>
<script async crossorigin="anonymous" src="${host}/static/array.js"></script>`;

/** Somebody's site, on another origin than the service. */
export async function openSite() {
  const visitors = new Map<string, Visitor>();
  const server = createServer((request, response) => {
    const visitor = visitors.get(new URL(request.url ?? "/", "http://site").searchParams.get("as") ?? "");
    response.writeHead(200, { "content-type": "text/html" }).end(visitor ? html(visitor) : "");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    /** Opens the site as somebody, and gathers whatever a browser would complain of. */
    async visit(page: Page, visitor: Visitor): Promise<string[]> {
      visitors.set(visitor.id, visitor);
      const complaints: string[] = [];
      page.on("console", (message) => {
        if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
      });
      page.on("pageerror", (error) => complaints.push(String(error)));
      page.on("response", (response) => {
        if (response.status() >= 400) complaints.push(`${response.status()} ${response.url()}`);
      });
      await page.goto(`${origin}${visitor.path ?? "/"}?as=${visitor.id}`);
      await page.waitForFunction(
        () => "config" in window.posthog && window.posthog.featureFlags !== undefined,
      );
      return complaints;
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** A browser of somebody who was never here before; to be closed with `everybodyLeaves`. */
export async function someone(context: BrowserContext): Promise<Page> {
  const browser = context.browser();
  if (!browser) throw new Error("The context has no browser.");
  return (await browser.newContext()).newPage();
}

/** Closes the browsers that a test has opened beside its own. */
export async function everybodyLeaves(context: BrowserContext): Promise<void> {
  for (const other of context.browser()?.contexts() ?? []) if (other !== context) await other.close();
}

/** Names of the surveys that the SDK would ask here and now, by what the service says now. */
async function matching(page: Page): Promise<string[]> {
  const names = await page.evaluate(
    () =>
      new Promise<string[]>((resolve) => {
        window.posthog.onSurveysLoaded(() =>
          window.posthog.getActiveMatchingSurveys((found) => resolve(found.map(({ name }) => name)), true),
        );
      }),
  );
  return names.sort();
}

/** Waits until the SDK would ask just these. */
export const expectMatching = (page: Page, names: string[]) =>
  expect.poll(() => matching(page), { timeout: 20_000 }).toEqual([...names].sort());
