import { log } from "#lib/platform/log.ts";

type Hook = () => Promise<void> | void;

const slot = Symbol.for("switchyard.shutdown");
const shared: typeof globalThis & { [slot]?: Set<Hook> } = globalThis;

function hooks(): Set<Hook> {
  shared[slot] ??= new Set();
  return shared[slot];
}

/**
 * Calls `hook` when the server stops: after the last request has been answered, before the database is
 * closed. For what must still be written.
 *
 * @returns removes the hook
 */
export function onShutdown(hook: Hook): () => void {
  hooks().add(hook);
  return () => hooks().delete(hook);
}

const drainSlot = Symbol.for("switchyard.drain");
const draining: typeof globalThis & { [drainSlot]?: Set<() => void> } = globalThis;

/** Calls `hook` when the server begins to stop, before it waits for its connections: for those that never end. */
export function onDrain(hook: () => void): void {
  draining[drainSlot] ??= new Set();
  draining[drainSlot].add(hook);
}

export function runDrainHooks(): void {
  for (const hook of draining[drainSlot] ?? []) hook();
}

/** Runs every hook once; one that fails is reported and does not keep the others from running. */
export async function runShutdownHooks(): Promise<void> {
  const all = [...hooks()];
  hooks().clear();
  for (const outcome of await Promise.allSettled(all.map(async (hook) => hook()))) {
    if (outcome.status === "rejected") log().error({ error: outcome.reason }, "A shutdown step failed.");
  }
}
