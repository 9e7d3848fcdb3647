/**
 * Loaded into a server with --import: prints, when it is sent SIGUSR2, the longest turn of its event loop since the
 * last time, as the processor time (in ms) that its main thread spent between two chances to answer somebody. Other
 * than a duration this does not count what other programs on a busy machine take.
 */
const processorMs = () => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};

let longest = 0;
let last = processorMs();

setInterval(() => {
  const now = processorMs();
  longest = Math.max(longest, now - last);
  last = now;
}, 1).unref();

process.on("SIGUSR2", () => {
  console.info(`Longest turn: ${longest.toFixed(1)} ms`);
  longest = 0;
});
