/** Runs in a thread of its own, so that a flood does not delay the clock that measures what it does to others. */
import { once } from "node:events";
import { parentPort, workerData } from "node:worker_threads";
import { createClient, loadFully } from "./client.ts";
import { everything, type Project } from "./service.ts";

export type Flood = { address: string; project: Project; kinds: string[]; at_once: number; seconds: number };
export type Flooded = {
  name: string;
  served: number;
  refused: number;
  failed: number;
  without_retry_after: number;
};

const { address, project, kinds, at_once, seconds }: Flood = workerData;
const client = createClient(address, at_once);
const chosen = everything(project).filter(({ name }) => kinds.includes(name));
// To load this thread takes both cores, and is nothing that the server does.
parentPort?.postMessage("ready");
if (parentPort) await once(parentPort, "message");
const answers = await loadFully(client, chosen, at_once, seconds);
client.close();
parentPort?.postMessage(
  [...answers].map(
    ([name, { served, refused, failed, without_retry_after }]): Flooded => ({
      name,
      served,
      refused,
      failed,
      without_retry_after,
    }),
  ),
);
