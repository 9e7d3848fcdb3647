import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { ensureBuild, sourceStamp } from "./build.ts";

const root = mkdtempSync(join(tmpdir(), "build-"));
afterAll(() => rmSync(root, { recursive: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

it.each([
  { path: "app/page.tsx", counts: true },
  { path: "components/ui/button.tsx", counts: true },
  { path: "lib/platform/http/client.ts", counts: true },
  { path: "public/icon.svg", counts: true },
  { path: "package-lock.json", counts: true },
  { path: "next.config.mjs", counts: true },
  { path: "proxy.ts", counts: true },
  { path: "README.md", counts: false },
  { path: "lib/platform/http/client.test.ts", counts: false },
  { path: "lib/engines/evaluation/fixtures/hash.json", counts: false },
  { path: "lib/app/server/start.ts", counts: false },
])("a change of $path makes a new build necessary: $counts", async ({ path, counts }) => {
  write(path, "before");
  const before = await sourceStamp(root);
  write(path, "after!");
  expect((await sourceStamp(root)) !== before).toBe(counts);
});

it("does not build again what is built from the same sources", async () => {
  write(".next/BUILD_ID", "x");
  write(".next/switchyard-stamp", await sourceStamp(root));
  expect(await ensureBuild(root)).toBe(false);
});

it("builds when sources have changed, and stops with one sentence when that fails", async () => {
  write("app/page.tsx", "changed");
  write("node_modules/next/dist/bin/next", "console.error('a mistake in the page'); process.exit(1)");
  await expect(ensureBuild(root)).rejects.toThrow("The dashboard could not be built");
  const program = `require("fs").writeFileSync(".next/BUILD_ID", [process.argv[2], process.env.NODE_ENV].join())`;
  write("node_modules/next/dist/bin/next", program);
  expect(await ensureBuild(root)).toBe(true);
  expect(await ensureBuild(root)).toBe(false);
});
