/**
 * Loaded into a server with --import: prints, when it is sent SIGUSR2, how late its event loop was since the last time,
 * in all but the worst per cent of cases.
 */
import { monitorEventLoopDelay } from "node:perf_hooks";

const RESOLUTION_MS = 5;
const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
delays.enable();

process.on("SIGUSR2", () => {
  const late = Math.max(0, delays.percentile(99) / 1e6 - RESOLUTION_MS);
  console.info(`Loop delay of ${process.pid}: ${late.toFixed(1)} ms`);
  delays.reset();
});
