import { writeFileSync } from "node:fs";
import { bundleEngine } from "./bundle.ts";

// `npm run build:report`: writes the engine that reports carry. A test fails while it is out of date.
const engine = await bundleEngine();
writeFileSync(new URL("engine.json", import.meta.url), `${JSON.stringify(engine, null, 2)}\n`);
console.info(
  `engine ${engine.version}, ${Math.round(engine.source.length / 1024)} KiB, sha256 ${engine.sha256}`,
);
