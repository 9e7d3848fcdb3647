import { setTimeout as delay } from "node:timers/promises";
import { layLine } from "./line.ts";
import { keepReading } from "./reads.ts";
import type { Kind, Report } from "./rounds.ts";
import type { Stage } from "./stage.ts";
import { checkWrites, joined, startWriting, wordsOfTrouble } from "./writes.ts";

/** Requests at once that need the database, many more than it has connections for. */
const CROWD = 120;
/** A request waits a second for a connection, and then for its own statements. */
const ANSWERED_WITHIN_MS = 15_000;

/** How a crowd that needs the database is answered. */
async function sendCrowd({ processes: [process] }: Stage): Promise<string[]> {
  const call = async () => {
    const began = performance.now();
    const answer = await process?.call("GET", "/api/projects/1/persons/?limit=5");
    return { status: answer?.status, ms: performance.now() - began };
  };
  const answers = await Promise.all(Array.from({ length: CROWD }, call));
  const slowest = Math.max(...answers.map(({ ms }) => ms));
  const strange = answers.filter(({ status }) => status !== 200 && status !== 503);
  return [
    ...(slowest > ANSWERED_WITHIN_MS
      ? [`one of many requests was answered after ${Math.round(slowest)} ms`]
      : []),
    ...(strange.length > 0 ? [`of many requests, ${strange.length} got ${strange[0]?.status}`] : []),
  ];
}

async function round(stage: Stage, slowDown: (ms: number) => void, random: () => number): Promise<Report> {
  const late = 200 + Math.floor(random() * 300);
  const before = startWriting(stage, random);
  await before.more(20);
  await before.stop();
  const reading = keepReading(stage);
  // They are in memory from here on.
  await delay(300);
  slowDown(late);
  const during = startWriting(stage, random);
  const [problems] = await Promise.all([sendCrowd(stage), delay(1_500 + random() * 1_000)]);
  await during.stop();
  const definitionsWithin = reading.mostDefinitionsWithin();
  slowDown(0);
  const began = performance.now();
  const after = startWriting(stage, random);
  await after.more(5, "changed");
  const recovered = performance.now() - began;
  await after.stop();
  problems.push(...(await reading.stop()));
  // What is in memory does not wait for the database, whatever is changed meanwhile. One answer may be late for another
  // reason: so many requests at once, on a machine that has other things to do.
  if (definitionsWithin >= late)
    problems.push(`one of ten answers with definitions took ${Math.round(definitionsWithin)} ms or more`);
  const how = { encryptionKey: stage.encryptionKey, dataDirs: [stage.dataDir] };
  const ledger = joined([before, during, after].map((writing) => writing.ledger));
  problems.push(...(await checkWrites(stage.database, ledger, how)));
  for (const each of stage.processes) problems.push(...wordsOfTrouble(each.output()));
  return { what: `slow database, ${late} ms later`, recovered_after: recovered, problems };
}

/** A database that answers late, as on a slow disk. */
export const slow: Kind = {
  name: "slow",
  async open(server) {
    const { host, port, user } = (await server()).address;
    const line = await layLine({ host, port });
    const stage = await (await server()).stage(1, {
      urlOfCopy: (name) => `postgres://${user}@127.0.0.1:${line.port}/${name}`,
    });
    return {
      round: ({ random }) => round(stage, line.slowDown, random),
      async close() {
        await stage.close();
        await line.close();
      },
    };
  },
};
