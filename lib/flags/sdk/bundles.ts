import { existsSync, readdirSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { SdkMounting } from "#lib/flags/context.ts";
import { computeNamesETag } from "#lib/flags/feature_flags/evaluation/etag.ts";
import { cors } from "#lib/platform/http/cors.ts";
import { methodNotAllowed, notFound } from "#lib/platform/http/errors.ts";

const PATH = "/static/*";
const PACKAGE = join("node_modules", "posthog-js");

/** The browser SDK as it is installed: its version, and the scripts that it loads or is loaded by. */
type Bundles = { version: string; folder: string; names: ReadonlySet<string> };

/** Looked for as Node would, without a bundler's eyes. */
function bundlesOf(): Bundles {
  for (let folder = process.cwd(); ; folder = dirname(folder)) {
    const file = join(folder, PACKAGE, "package.json");
    if (existsSync(file)) {
      const { version } = JSON.parse(readFileSync(file, "utf8")) as { version: string };
      const scripts = join(folder, PACKAGE, "dist");
      return { version, folder: scripts, names: new Set(readdirSync(scripts).filter(isScript)) };
    }
    if (folder === dirname(folder)) throw new Error("The package posthog-js is not installed.");
  }
}

const isScript = (name: string) => /^[\w.-]+\.m?js$/.test(name);

type Encoding = "br" | "gzip" | "identity";

const encoders: Record<Encoding, (bytes: Buffer) => Promise<Buffer>> = {
  br: (bytes) => promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  gzip: (bytes) => promisify(gzip)(bytes, { level: 9 }),
  identity: async (bytes) => bytes,
};

/** The smallest encoding that the browser accepts. */
function encodingFor(accepted: string): Encoding {
  const refused = (name: string) => new RegExp(`\\b${name}\\s*;\\s*q=0(?:\\.0*)?\\s*(?:,|$)`).test(accepted);
  const takes = (name: string) => new RegExp(`\\b${name}\\b`).test(accepted) && !refused(name);
  return takes("br") ? "br" : takes("gzip") ? "gzip" : "identity";
}

const YEAR = "public, max-age=31536000, immutable";
const SHORT = "public, max-age=300";

/** Which script a path asks for, and whether by its version: then it never changes. */
function scriptOf({ version, names }: Bundles, url: URL): { name: string; isPinned: boolean } | null {
  const [, pinned, name = ""] = /^\/static\/(?:(\d+\.\d+\.\d+[\w.-]*)\/)?([\w.-]+)$/.exec(url.pathname) ?? [];
  if (!names.has(name) || (pinned !== undefined && pinned !== version)) return null;
  return { name, isPinned: pinned === version || url.searchParams.get("v") === version };
}

/**
 * Serves the browser SDK's own scripts from its npm package, so that the official snippet works against us and
 * pages can load what is not in their bundle. Of another version than the installed one there is nothing: the SDK
 * then asks again without the version.
 */
export function mountBundles({ app }: SdkMounting): void {
  const bundles = bundlesOf();
  const packed = new Map<string, Promise<Buffer>>();
  /** Packed once per script and encoding: there are a few dozen of a few hundred kilobytes. */
  const bytesOf = (name: string, encoding: Encoding) => {
    const key = `${encoding} ${name}`;
    const known = packed.get(key) ?? readFile(join(bundles.folder, name)).then(encoders[encoding]);
    packed.set(key, known);
    known.catch(() => packed.delete(key));
    return known;
  };
  app.use(PATH, cors());
  app.get(PATH, async (c) => {
    const script = scriptOf(bundles, new URL(c.req.url));
    if (!script) throw notFound("Script not found.");
    const encoding = encodingFor(c.req.header("accept-encoding") ?? "");
    const etag = `"${bundles.version}-${script.name}-${encoding}"`;
    const headers = {
      "content-type": "text/javascript; charset=utf-8",
      "cache-control": script.isPinned ? YEAR : SHORT,
      "cross-origin-resource-policy": "cross-origin",
      "x-content-type-options": "nosniff",
      vary: "Accept-Encoding",
      etag,
    };
    if (computeNamesETag(c.req.header("if-none-match") ?? null, etag)) return c.body(null, 304, headers);
    const bytes = await bytesOf(script.name, encoding);
    if (encoding !== "identity") c.header("content-encoding", encoding);
    return c.body(bytes as Uint8Array<ArrayBuffer>, 200, headers);
  });
  app.all(PATH, (c) => {
    throw methodNotAllowed(c.req.method);
  });
}
