// First, since everything that main.ts imports is to be resolved by it.
import "#lib/platform/quick-imports.ts";

await import("./main.ts");
