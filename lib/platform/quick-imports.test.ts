import { execFile } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const run = promisify(execFile);
const root = join(import.meta.dirname, "..", "..");
const urlOf = (path: string) => pathToFileURL(join(root, path)).href;

/** What is imported, and where: packages and own files, from own files; files of drizzle-orm, from its others. */
const IMPORTS = [
  ["drizzle-orm", "lib/app/api.ts"],
  ["drizzle-orm/pg-core", "lib/app/api.ts"],
  ["drizzle-orm/pg-core", "lib/app/rollups.ts"],
  ["#lib/platform/db/connect.ts", "lib/app/api.ts"],
  ["./rollups.ts", "lib/app/api.ts"],
  ["./api.ts", "lib/app/server/main.ts"],
  ["node:fs", "lib/app/api.ts"],
  ["#package", "lib/app/api.ts"],
  ["./entity.js", "node_modules/drizzle-orm/index.js"],
  ["../entity.js", "node_modules/drizzle-orm/pg-core/index.js"],
  ["zod", "node_modules/drizzle-orm/index.js"],
] as const;

const PROGRAM = `
  const imports = ${JSON.stringify(IMPORTS.map(([specifier, parent]) => [specifier, urlOf(parent)]))};
  const resolved = () => imports.map(([specifier, parent]) => import.meta.resolve(specifier, parent));
  const before = resolved();
  await import(${JSON.stringify(urlOf("lib/platform/quick-imports.ts"))});
  console.log(JSON.stringify([before, resolved(), resolved()]));`;

it("resolves every import as Node does, the first time and from memory", async () => {
  const options = ["--experimental-import-meta-resolve", "--input-type=module", "--eval", PROGRAM];
  const { stdout } = await run(process.execPath, options, { cwd: root });
  const [before, first, again] = JSON.parse(stdout);
  expect(before).toHaveLength(IMPORTS.length);
  expect(first).toEqual(before);
  expect(again).toEqual(before);
});

it("tells what is required from what is imported", async () => {
  const program = `
    await import(${JSON.stringify(urlOf("lib/platform/quick-imports.ts"))});
    const { createRequire } = await import("node:module");
    const required = createRequire(${JSON.stringify(urlOf("lib/app/api.ts"))})("drizzle-orm");
    const imported = await import("drizzle-orm");
    console.log(required.eq === imported.eq, typeof required.eq, typeof imported.eq);`;
  const { stdout } = await run(process.execPath, ["--input-type=module", "--eval", program], { cwd: root });
  expect(stdout.trim()).toBe("false function function");
});
