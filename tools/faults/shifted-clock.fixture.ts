/**
 * Loaded before a program (`--import`): at each SIGUSR2 the clock jumps by as many milliseconds as are in the file that
 * CLOCK_FILE names, counted from the real time. Only what Node itself calls Date jumps, as when somebody sets the
 * clock; timers and performance.now() go on as they do then.
 */
import { readFileSync } from "node:fs";

const RealDate = Date;
let shift = 0;
process.on("SIGUSR2", () => {
  shift = Number(readFileSync(process.env.CLOCK_FILE ?? "", "utf8"));
  console.info(`The clock jumped: it is ${new Date().toISOString()}.`);
});
globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [RealDate.now() + shift] : args, newTarget),
  apply: () => new RealDate(RealDate.now() + shift).toString(),
  get: (target, name) => (name === "now" ? () => RealDate.now() + shift : Reflect.get(target, name)),
});
