import { loadDrizzle } from "#lib/platform/db/load-drizzle.ts";

// First, since main.ts imports it.
await loadDrizzle();
await import("./main.ts");
