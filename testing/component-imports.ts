/** Lets Node import components in tests. It strips types itself, but supports neither JSX nor `next/…` without an extension. */
import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";
import { transformSync } from "esbuild";

registerHooks({
  resolve: (specifier, context, next) =>
    next(/^next\/[\w/-]+$/.test(specifier) ? `${specifier}.js` : specifier, context),
  load(url, context, next) {
    if (!url.endsWith(".tsx")) return next(url, context);
    const path = fileURLToPath(url);
    const { code } = transformSync(readFileSync(path, "utf8"), {
      loader: "tsx",
      jsx: "automatic",
      sourcemap: "inline",
      sourcefile: path,
    });
    return { format: "module", source: code, shortCircuit: true };
  },
});
