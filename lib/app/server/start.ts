import { loadDrizzle } from "#lib/platform/db/load-drizzle.ts";

await loadDrizzle();
await import("./main.ts");
