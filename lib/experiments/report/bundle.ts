import { build } from "esbuild";
import { sha256Hex } from "./seal.ts";

/** Increased whenever a formula changes, so that reports name the engine they were created with. */
const ENGINE_VERSION = "1.2.0";

/** The engine as one script: the report's pure part and the statistics. The same text on every machine. */
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
  // A script in a page must contain neither its closing tag nor the start of a comment.
  const source = (built.outputFiles[0]?.text ?? "")
    .replaceAll("</script", "<\\/script")
    .replaceAll("<!--", "<\\!--");
  return { version: ENGINE_VERSION, sha256: sha256Hex(source), source };
}
