import { mkdirSync, readFileSync, statSync, utimesSync } from "node:fs";
import { open, rename } from "node:fs/promises";
import { join } from "node:path";
import { log } from "#lib/platform/log.ts";

/** A bundle as it came from the origin. */
export type ReceivedBundle = { body: Buffer; signature: string; etag: string };

/** The file: a line with the signature and the tag as JSON, then the bundle. */
const bytesOf = ({ body, signature, etag }: ReceivedBundle) =>
  Buffer.concat([Buffer.from(`${JSON.stringify({ signature, etag })}\n`), body]);

function partsOf(bytes: Buffer): ReceivedBundle {
  const end = bytes.indexOf("\n");
  const { signature, etag } = JSON.parse(bytes.subarray(0, end).toString()) as Record<string, unknown>;
  if (typeof signature !== "string" || typeof etag !== "string") throw new Error("It has no signature.");
  return { body: bytes.subarray(end + 1), signature, etag };
}

const isMissing = (error: unknown) => error instanceof Error && "code" in error && error.code === "ENOENT";

/** The bundle that a relay serves, on disk for its next start. Only its owner may read it: payloads are in it. */
export function createStoredBundle(folder: string) {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, "bundle");
  return {
    /** What was written last, and when the origin last confirmed it; null where there is none. */
    read(): (ReceivedBundle & { confirmed_at: Date }) | null {
      try {
        return { ...partsOf(readFileSync(file)), confirmed_at: statSync(file).mtime };
      } catch (error) {
        if (!isMissing(error)) log().warn(`${file} is damaged: it is not used.`);
        return null;
      }
    },
    async write(bundle: ReceivedBundle): Promise<void> {
      const draft = `${file}.${process.pid}.part`;
      const handle = await open(draft, "w", 0o600);
      try {
        await handle.writeFile(bytesOf(bundle));
        await handle.sync();
      } finally {
        await handle.close();
      }
      await rename(draft, file);
    },
    /** Notes that the origin has confirmed it. */
    confirm(at: Date): void {
      try {
        utimesSync(file, at, at);
      } catch (error) {
        if (!isMissing(error)) throw error;
      }
    },
  };
}
