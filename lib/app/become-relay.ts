import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { childEnvironment, StartError } from "#lib/platform/config.ts";

/** A relay has many short-lived values, and no need for a large space to make them in. */
const SMALL_HEAP = ["--max-semi-space-size=1", "--optimize-for-size"];

/** Answers are buffers outside of that: glibc gives their memory back at once, and does not keep some for each thread. */
const SMALL_BUFFERS = {
  MALLOC_ARENA_MAX: "1",
  MALLOC_MMAP_THRESHOLD_: "65536",
  MALLOC_TRIM_THRESHOLD_: "65536",
};

/** CommonJS packages in the bundle look for their own files and for others. */
const BANNER = `import { createRequire } from "node:module";
const require = createRequire(import.meta.url);
const __filename = import.meta.filename, __dirname = import.meta.dirname;`;

/** Bundles the program of a relay with its packages, into a folder that it may write to. */
async function bundleProgram(folder: string): Promise<string> {
  const built = await build({
    entryPoints: [join(import.meta.dirname, "relay", "program.ts")],
    write: false,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node24",
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: "none",
    external: ["pg-native"],
    banner: { js: BANNER },
    logLevel: "error",
  });
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const program = join(folder, "program.mjs");
  // Another relay may start from the same folder at the same time.
  const draft = `${program}.${process.pid}`;
  writeFileSync(draft, built.outputFiles[0]?.contents ?? "");
  renameSync(draft, program);
  return program;
}

/** Goes on as a relay, in place of this program: its memory is freed. */
export async function becomeRelay(dataDir: string, origin = ""): Promise<void> {
  if (!process.execve) throw new StartError("A relay needs Node 24 or later, on Linux or macOS.");
  const program = await bundleProgram(join(dataDir, "relay"));
  const run = [process.execPath, ...SMALL_HEAP, program, origin];
  process.execve(process.execPath, run, childEnvironment(SMALL_BUFFERS));
}
