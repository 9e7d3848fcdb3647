// First, so that it resolves everything that main.ts imports.
import "#lib/platform/quick-imports.ts";

await import("./main.ts");
