import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineConfig } from "@playwright/test";
import { launchOptions } from "./chromium.ts";

/** Journeys run against a server that is up already (E2E_PORT, with the credentials below) or start their own. */
const running = process.env.E2E_PORT;

/** The Switchyard that the journeys use: its own folder, emptied before it starts, and known credentials. */
export const PORT = Number(running ?? 4180);
export const PERSONAL_API_KEY = "phx_the-key-of-the-browser-journeys";
export const PROJECT_TOKEN = "phc_the-token-of-the-browser-journeys";
const dataDir = join(tmpdir(), `switchyard-journeys-${PORT}`);

/** What looks at the demo project, which takes a minute to load. */
const ON_DEMO = ["accessibility", "page-weight", "survey-demo"].map((name) => `**/${name}.spec.ts`);
const LOADING = "**/demo-project.spec.ts";

export default defineConfig({
  testDir: ".",
  // In this order: the demo project loads while other journeys run.
  projects: [
    { name: "demo project", testMatch: LOADING },
    { name: "journeys", testMatch: "**/*.spec.ts", testIgnore: [LOADING, ...ON_DEMO] },
    { name: "on the demo project", testMatch: ON_DEMO },
  ],
  outputDir: "results",
  forbidOnly: true,
  workers: 3,
  // On a machine that others use too, a journey that fails is tried once more; it is named when that passes.
  retries: process.env.CI ? 1 : 0,
  timeout: 120_000,
  expect: { timeout: 20_000 },
  use: {
    baseURL: `http://127.0.0.1:${PORT}`,
    launchOptions: launchOptions(),
    // Colours are measured when nothing moves any more.
    contextOptions: { reducedMotion: "reduce" },
    // A trace of every journey takes a third of its time: ask for one with --trace retain-on-failure.
    screenshot: "only-on-failure",
  },
  webServer: running
    ? undefined
    : {
        command: `rm -rf "${dataDir}" && exec node lib/app/server/start.ts`,
        cwd: join(import.meta.dirname, ".."),
        url: `http://127.0.0.1:${PORT}/readyz`,
        reuseExistingServer: false,
        // The first start builds the dashboard.
        timeout: 300_000,
        gracefulShutdown: { signal: "SIGTERM", timeout: 15_000 },
        env: {
          PORT: String(PORT),
          HOST: "127.0.0.1",
          DATA_DIR: dataDir,
          DATABASE_URL: "",
          RATE_LIMIT_PER_MINUTE: "0",
          // Fails at once: a journey looks at what is said of it.
          BACKUP_EVERY: "7d",
          BACKUP_TO: "/dev/null/backups",
          // A journey receives webhooks.
          NOTIFICATION_NETWORKS: "127.0.0.1",
          BOOTSTRAP_PERSONAL_API_KEY: PERSONAL_API_KEY,
          BOOTSTRAP_PROJECT_TOKEN: PROJECT_TOKEN,
        },
      },
});
