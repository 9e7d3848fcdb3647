/**
 * The file that backup writes and restore reads: gzip around
 *
 *   a line of JSON, the head; for each table a line naming it, its rows as COPY text in frames (four bytes of
 *   length, then so many bytes; a length of 0 ends them) and a line with their number and checksum; and a last
 *   line with the sequences. Nothing is known before it has been written, so both sides work in constant memory.
 */
import { createHash, type Hash } from "node:crypto";
import { createReadStream } from "node:fs";
import { pipeline } from "node:stream";
import { createGunzip } from "node:zlib";
import { z } from "zod";
import { StartError } from "#lib/platform/config.ts";
import { errorCode } from "./errors.ts";

/** Rises when this program could no longer read what an earlier one wrote, or the other way round. */
export const BACKUP_VERSION = 1;

const MAX_FRAME = 256 * 1024 * 1024;

const headSchema = z.object({
  format: z.literal("switchyard-backup"),
  version: z.number(),
  created_at: z.string(),
  /** The schema that the rows fit: every migration applied, in order. */
  migrations: z.array(z.object({ idx: z.number(), tag: z.string(), hash: z.string() })),
  tables: z.number(),
});
const tableSchema = z.object({ table: z.string(), columns: z.array(z.string()) });
const tallySchema = z.object({ rows: z.number(), sha256: z.string() });
const tailSchema = z.object({
  end: z.literal(true),
  sequences: z.array(z.object({ name: z.string(), last_value: z.number().nullable() })),
});

export type Head = z.infer<typeof headSchema>;
export type Tally = z.infer<typeof tallySchema>;
export type Tail = z.infer<typeof tailSchema>;
export type TableHead = z.infer<typeof tableSchema>;

/** What a reader does with a table's rows; it must consume all of them. */
export type RowsReader = (table: TableHead, rows: AsyncIterable<Buffer>, head: Head) => Promise<void>;

export const line = (value: Head | TableHead | Tally | Tail) => Buffer.from(`${JSON.stringify(value)}\n`);

/** A frame's length in front of its bytes; `end` alone ends a table. */
export function frame(bytes: Buffer): Buffer[] {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return [length, bytes];
}

type Contents = { head: Head; tail: Tail; tallies: Map<string, Tally> };

/**
 * Reads a whole backup, giving each table's rows to `read` and checking every length and checksum.
 *
 * @throws StartError when the file is no backup of ours, is cut short, or has been changed
 */
export async function readBackup(file: string, read: RowsReader): Promise<Contents> {
  const unzipped = createGunzip();
  // A failure of either reaches whoever reads from the second.
  pipeline(createReadStream(file), unzipped, () => undefined);
  try {
    return await readSections(new Bytes(unzipped), read);
  } catch (error) {
    throw explain(error, file);
  } finally {
    unzipped.destroy();
  }
}

/**
 * Reads a backup to its end and compares every length and checksum.
 *
 * @throws StartError as above
 */
export const checkBackup = (file: string, signal?: AbortSignal): Promise<Contents> =>
  readBackup(file, async (_table, rows) => {
    for await (const _chunk of rows) signal?.throwIfAborted();
  });

async function readSections(bytes: Bytes, read: RowsReader): Promise<Contents> {
  const head = await bytes.json(headSchema);
  if (head.version > BACKUP_VERSION) throw new Damage("it was written by a newer version of Switchyard");
  const tallies = new Map<string, Tally>();
  for (let i = 0; i < head.tables; i++) {
    const table = await bytes.json(tableSchema);
    const checksum = createHash("sha256");
    await read(table, rowsOf(bytes, checksum), head);
    const tally = await bytes.json(tallySchema);
    if (tally.sha256 !== checksum.digest("hex"))
      throw new Damage(`the rows of ${table.table} have been changed`);
    tallies.set(table.table, tally);
  }
  const tail = await bytes.json(tailSchema);
  if (!(await bytes.isAtEnd())) throw new Damage("there is data after its end");
  return { head, tail, tallies };
}

async function* rowsOf(bytes: Bytes, checksum: Hash): AsyncGenerator<Buffer> {
  for (;;) {
    const length = (await bytes.take(4)).readUInt32BE();
    if (length === 0) return;
    if (length > MAX_FRAME) throw new Damage("it contains an invalid length");
    const rows = await bytes.take(length);
    checksum.update(rows);
    yield rows;
  }
}

/** What is wrong with the file, as the end of a sentence. */
class Damage extends Error {}

function explain(error: unknown, file: string): unknown {
  const code = errorCode(error) ?? "";
  if (code === "ENOENT" || code === "EACCES" || code === "EISDIR") {
    return new StartError(`${file} cannot be read (${code}).`);
  }
  const isDamage = error instanceof Damage || error instanceof SyntaxError || error instanceof z.ZodError;
  if (!isDamage && !code.startsWith("Z_")) return error;
  const reason = error instanceof Damage ? error.message : "it is truncated, damaged or something else";
  return new StartError(`${file} is not a complete Switchyard backup: ${reason}. Nothing was changed.`);
}

/** Takes lines and lengths from a stream of chunks. */
class Bytes {
  readonly #chunks: AsyncIterator<Buffer>;
  #held: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Buffer>) {
    this.#chunks = source[Symbol.asyncIterator]();
  }

  async #more(): Promise<boolean> {
    const { done, value } = await this.#chunks.next();
    if (!done) this.#held = this.#held.length === 0 ? value : Buffer.concat([this.#held, value]);
    return !done;
  }

  async take(length: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    for (let missing = length; missing > 0; ) {
      if (this.#held.length === 0 && !(await this.#more())) throw new Damage("it is truncated");
      const part = this.#held.subarray(0, missing);
      this.#held = this.#held.subarray(part.length);
      parts.push(part);
      missing -= part.length;
    }
    return parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts);
  }

  /** One line of JSON of that shape. */
  async json<T>(schema: z.ZodType<T>): Promise<T> {
    let end = this.#held.indexOf(10);
    while (end < 0) {
      if (this.#held.length > 1_000_000 || !(await this.#more()))
        throw new Damage("it is truncated or something else");
      end = this.#held.indexOf(10);
    }
    const text = (await this.take(end + 1)).toString("utf8");
    return schema.parse(JSON.parse(text));
  }

  async isAtEnd(): Promise<boolean> {
    return this.#held.length === 0 && !(await this.#more());
  }
}
