import { openAsBlob } from "node:fs";
import { mkdir, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { S3mini, S3NetworkError, S3ServiceError } from "s3mini";
import type { BackupPlace, S3Place } from "#lib/platform/config.ts";

/** Where complete backups are stored, by name. */
export type Place = {
  /** Stores a file under that name, all of it or nothing, and removes it where it was. */
  store: (file: string, name: string) => Promise<void>;
  list: () => Promise<string[]>;
  remove: (name: string) => Promise<void>;
};

function openFolder(folder: string): Place {
  return {
    store: (file, name) => rename(file, join(folder, name)),
    list: () => readdir(folder),
    remove: (name) => rm(join(folder, name), { force: true }),
  };
}

const PART_BYTES = 8 * 1024 * 1024;
/** S3 takes 10,000. */
const PARTS_MAX = 9_000;

/** What a bucket says of a failure can name keys, and what is in the request: only the code of it is passed on. */
async function withoutDetails<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new Error(`${what} (${reasonOf(error)}).`);
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof S3ServiceError) {
    const { status, serviceCode = "" } = error;
    return /^\w{1,60}$/.test(serviceCode) && serviceCode !== "Unknown"
      ? `${status}, ${serviceCode}`
      : `${status}`;
  }
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    if ("code" in at && typeof at.code === "string" && /^\w{1,60}$/.test(at.code)) return at.code;
    if (at instanceof S3NetworkError) break;
  }
  return error instanceof Error ? error.name : "unknown reason";
}

function openBucket(place: S3Place, signal: AbortSignal): Place {
  const { bucket, prefix, endpoint, region, accessKeyId, secretAccessKey } = place;
  const client = (partBytes = PART_BYTES) =>
    new S3mini({
      accessKeyId,
      secretAccessKey,
      endpoint: `${endpoint}/${bucket}`,
      region,
      minPartSize: partBytes,
      fetch: (input, init) => fetch(input, { ...init, signal }),
    });
  return {
    store: (file, name) =>
      withoutDetails("The backup could not be stored in the bucket", async () => {
        const { size } = await stat(file);
        const key = `${prefix}${name}`;
        // Parts are read from the file as they are sent.
        await client(Math.max(PART_BYTES, Math.ceil(size / PARTS_MAX))).putAnyObject(
          key,
          await openAsBlob(file),
        );
        const stored = await client().getContentLength(key);
        if (stored !== size) throw Object.assign(new Error(), { name: `${stored} of ${size} bytes arrived` });
        await rm(file);
      }),
    list: () =>
      withoutDetails("The backups in the bucket could not be listed", async () => {
        const objects = (await client().listObjects("/", prefix)) ?? [];
        return objects.map(({ Key }) => Key.slice(prefix.length));
      }),
    remove: (name) =>
      withoutDetails("An old backup in the bucket could not be deleted", async () => {
        await client().deleteObject(`${prefix}${name}`);
      }),
  };
}

/** Opens a place; what is under way there is given up with the signal. */
export async function openPlace(place: BackupPlace, signal: AbortSignal): Promise<Place> {
  if (!("folder" in place)) return openBucket(place, signal);
  await mkdir(place.folder, { recursive: true, mode: 0o700 });
  return openFolder(place.folder);
}
