import { registerHooks } from "node:module";

/**
 * Loads drizzle-orm, a quarter sooner than the first import of it would let the whole service start. For each import in
 * each of its files, Node parses what the package exports, which takes 130 kB of JSON, only to learn that the file is a
 * module (`getPackageScopeConfig` of Node 24).
 */
export async function loadDrizzle(): Promise<void> {
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      const { parentURL } = context;
      if (!specifier.startsWith(".") || !parentURL?.includes("/node_modules/drizzle-orm/"))
        return next(specifier, context);
      return { url: new URL(specifier, parentURL).href, format: "module", shortCircuit: true };
    },
  });
  await Promise.all([import("drizzle-orm/node-postgres"), import("drizzle-orm/pg-core")]);
  hooks.deregister();
}
