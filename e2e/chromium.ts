import { spawnSync } from "node:child_process";
import { accessSync, constants, existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { chromium } from "@playwright/test";

// The first has no user interface at all, and so asks less of the machine.
const names = [
  "chromium-headless-shell",
  "chromium",
  "chromium-browser",
  "google-chrome",
  "google-chrome-stable",
  "microsoft-edge",
];
const applications = [
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
];

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The Chromium that tests run in: Playwright's own if it is installed, else the system's. */
function findChromium(): string | undefined {
  const own = chromium.executablePath();
  if (existsSync(own)) return own;
  const folders = (process.env.PATH ?? "").split(delimiter).concat("/usr/bin", "/snap/bin");
  return [...folders.flatMap((folder) => names.map((name) => join(folder, name))), ...applications].find(
    isProgram,
  );
}

/** How to launch it; as root (in containers) Chromium has no sandbox to offer. */
export function launchOptions(): { executablePath?: string; args: string[] } {
  const executablePath = findChromium();
  const args = [
    // Pages are open too briefly for optimized scripts to pay off: optimizing costs up to a fifth of the CPU time. Collecting
    // garbage from a small young generation costs a tenth.
    "--js-flags=--no-maglev --no-opt --min-semi-space-size=32",
    ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
  ];
  return executablePath === undefined ? { args } : { executablePath, args };
}

function run(program: string, ...args: string[]): boolean {
  console.info(`No Chromium found; trying: ${program} ${args.join(" ")}`);
  return spawnSync(program, args, { stdio: "inherit", timeout: 600_000 }).status === 0;
}

/**
 * Makes sure that there is a Chromium, installing one if need be.
 *
 * @throws Error that says exactly what to do when none can be installed
 */
export function ensureChromium(): string {
  const found = findChromium() ?? installed();
  if (found !== undefined) return found;
  throw new Error(
    "The browser tests need a Chromium, and none could be installed. Run `npx playwright install --with-deps chromium`, " +
      "or install Chromium or Google Chrome with your system's packages (Debian: apt-get install chromium), and start the tests again.",
  );
}

function installed(): string | undefined {
  const mayUseApt = process.getuid?.() === 0 && isProgram("/usr/bin/apt-get");
  if (mayUseApt && run("apt-get", "update"))
    // Distributions that have only the second refuse the first.
    for (const name of ["chromium-headless-shell", "chromium"])
      if (run("apt-get", "install", "-y", "--no-install-recommends", name)) break;
  if (findChromium() === undefined) run("npx", "playwright", "install", "chromium");
  return findChromium();
}
