import { open } from "node:fs/promises";
import { type Db, inTransaction } from "#lib/platform/db/connect.ts";
import type { AuditSettings } from "#lib/platform/http/context.ts";
import { log } from "#lib/platform/log.ts";
import type { Checkpoint } from "./keys.ts";
import { selectCheckpoints, selectLastCheckpoint, selectStates, tryLock, writeState } from "./store.ts";
import { parseCheckpoint } from "./verify.ts";

/** Long enough for the last lines of the file. */
const TAIL_BYTES = 16_384;
const AT_ONCE = 1_000;
const PATIENCE_MS = 10_000;

const lineOf = (checkpoint: Checkpoint) => `${JSON.stringify(checkpoint)}\n`;

/**
 * Appends the checkpoints that a file lacks, and has it on the disk before it returns. What the file has says where to
 * go on, so that any process can; half a line, which a full disk or a crash has left, is replaced.
 *
 * @returns the last checkpoint in the file
 */
async function appendTo(
  path: string,
  read: (after: Checkpoint | null) => Promise<Checkpoint[]>,
): Promise<Checkpoint | null> {
  const file = await open(path, "a+", 0o600);
  try {
    const { size } = await file.stat();
    const from = Math.max(0, size - TAIL_BYTES);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size - from), 0, size - from, from);
    const tail = buffer.subarray(0, bytesRead);
    const end = tail.lastIndexOf(10) + 1;
    if (end < tail.length && parseCheckpoint(tail.subarray(end).toString()) === null)
      await file.truncate(from + end);
    else if (end < tail.length) await file.write("\n");
    const lines = tail.toString().split("\n").toReversed();
    let last = lines.map(parseCheckpoint).find((each) => each !== null) ?? null;
    for (let some = await read(last); some.length > 0; some = await read(last)) {
      await file.write(some.map(lineOf).join(""));
      last = some.at(-1) ?? last;
    }
    await file.datasync();
    return last;
  } finally {
    await file.close();
  }
}

async function report(
  db: Db,
  name: "file" | "witness",
  position: number,
  problem: string | null,
): Promise<void> {
  if (problem) log().error({ problem }, "Checkpoints of the audit log are not stored elsewhere.");
  await writeState(db, { name, at: new Date(), problem, ...(problem === null && { position }) });
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** Sends a checkpoint to another Switchyard. @throws Error when that does not store it */
async function post(
  { url, key }: NonNullable<AuditSettings["witness"]>,
  checkpoint: Checkpoint,
): Promise<void> {
  const response = await fetch(`${url}/audit_log/received_checkpoints/`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(checkpoint),
    signal: AbortSignal.timeout(PATIENCE_MS),
    redirect: "error",
  });
  if (!response.ok) throw new Error(`it answered ${response.status}`);
  await response.body?.cancel();
}

/**
 * Stores new checkpoints in the file and at the other Switchyard, as far as there are such. Only one process does so at a
 * time; the others have nothing left to do.
 *
 * @returns whether all of them are stored
 */
export async function sendCheckpoints(
  db: Db,
  { checkpoints: path, witness }: Pick<AuditSettings, "checkpoints" | "witness">,
): Promise<boolean> {
  if (path === undefined && !witness) return true;
  return inTransaction(db, async (tx) => {
    if (!(await tryLock(tx, "sending"))) return true;
    const found = await selectLastCheckpoint(tx);
    if (!found) return true;
    const { checkpoint } = found;
    const states = await selectStates(tx);
    const isSent = (name: string) => {
      const state = states.get(name);
      return state?.position === checkpoint.position && state.problem === null;
    };
    let isDone = true;
    if (path !== undefined && !isSent("file")) {
      const read = (last: Checkpoint | null) =>
        selectCheckpoints(tx, {
          ...(last?.chain === checkpoint.chain && { after: new Date(last.signed_at) }),
          limit: AT_ONCE,
        });
      const problem = await appendTo(path, read).then(
        () => null,
        (error: unknown) => `${path} cannot be written: ${messageOf(error)}.`,
      );
      await report(tx, "file", checkpoint.position, problem);
      isDone = problem === null;
    }
    if (witness && !isSent("witness")) {
      const problem = await post(witness, checkpoint).then(
        () => null,
        (error: unknown) => `${witness.url} does not store checkpoints: ${messageOf(error)}.`,
      );
      await report(tx, "witness", checkpoint.position, problem);
      isDone = isDone && problem === null;
    }
    return isDone;
  });
}
