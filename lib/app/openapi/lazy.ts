import { once } from "node:events";
import { Worker } from "node:worker_threads";

/**
 * The OpenAPI document as JSON. It is made when it is first asked for, in a thread of its own: it takes half a second of
 * computing, for which neither the start of a process nor its other requests should wait.
 */
export function lazyDocument(version: string): () => Promise<string> {
  let made: Promise<string> | undefined;
  return () => {
    made ??= makeInThread(version).catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}

async function makeInThread(version: string): Promise<string> {
  const thread = new Worker(new URL("./thread.ts", import.meta.url), { workerData: version });
  const [json] = await once(thread, "message");
  return json;
}
