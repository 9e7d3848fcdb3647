import { build } from "esbuild";
import { hashOf } from "./seal.ts";

/** Raised whenever a formula changes, so that reports say which they were made with. */
const ENGINE_VERSION = "1.2.0";

/** The engine as one script: this room's pure part with lib/statistics. The same text on every machine. */
export async function bundleEngine(): Promise<{ version: string; sha256: string; source: string }> {
  const entry = new URL("browser.ts", import.meta.url).pathname;
  const built = await build({
    entryPoints: [entry],
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    platform: "browser",
    target: "es2022",
    charset: "utf8",
    legalComments: "none",
  });
  // Neither the end of its element nor a comment's beginning may stand in a script of a page.
  const source = (built.outputFiles[0]?.text ?? "")
    .replaceAll("</script", "<\\/script")
    .replaceAll("<!--", "<\\!--");
  return { version: ENGINE_VERSION, sha256: hashOf(source), source };
}
