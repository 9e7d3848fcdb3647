import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { open, rename, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { deserialize, serialize } from "node:v8";
import { Map as SharingMap } from "immutable";
import { asDatabaseUnavailable } from "#lib/platform/db/connect.ts";
import { readMigrations } from "#lib/platform/db/migrate.ts";
import { log } from "#lib/platform/log.ts";
import type { Siblings } from "#lib/platform/siblings.ts";
import packageFile from "#package" with { type: "json" };
import type { Runtime } from "./runtime.ts";

/** What a process has in memory of its database, enough to serve SDKs. */
const rememberedBy = ({ directory, flags, cohorts, surveys, definitions }: Runtime) => ({
  accounts: directory.remembered(),
  flags: flags.remembered(),
  cohorts: cohorts.remembered(),
  surveys: surveys.remembered(),
  group_types: definitions.remembered(),
});

type Memory = ReturnType<typeof rememberedBy>;

/** The memory of a process that has ended. */
export type Snapshot = {
  /** The release and its tables: another release may hold other things in memory. */
  release: string;
  /** When the database was last known to answer. */
  as_of: Date;
  memory: Memory;
};

const MAGIC = Buffer.from("switchyard snapshot 1\n");
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const SAVE_EVERY_MS = 60_000;

const DRAFT = ".part";

const releaseOf = (): string => `${packageFile.version} ${readMigrations().at(-1)?.tag}`;

/** Where a process keeps its snapshot. */
export const snapshotFile = (dataDir: string): string => join(dataDir, "snapshot");

/** Maps that share what they hold with one another cannot be serialized. */
const serializable = (flags: Memory["flags"]) =>
  new Map([...flags].map(([id, each]) => [id, { ...each, byId: new Map(each.byId) }]));

const deserialized = (flags: ReturnType<typeof serializable>): Memory["flags"] =>
  new Map([...flags].map(([id, each]) => [id, { ...each, byId: SharingMap(each.byId) }]));

/** Encrypted, since it holds payloads that are encrypted in the database; its tag shows whether it is whole. */
function sealed({ memory, ...rest }: Snapshot, key: Buffer): Buffer {
  const bytes = serialize({ ...rest, memory: { ...memory, flags: serializable(memory.flags) } });
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv("aes-256-gcm", key, nonce, { authTagLength: TAG_BYTES }).setAAD(MAGIC);
  const body = [cipher.update(bytes), cipher.final()];
  return Buffer.concat([MAGIC, nonce, cipher.getAuthTag(), ...body]);
}

function unsealed(bytes: Buffer, key: Buffer): Snapshot {
  const [start, nonceEnd] = [MAGIC.length, MAGIC.length + NONCE_BYTES];
  const tagEnd = nonceEnd + TAG_BYTES;
  const nonce = bytes.subarray(start, nonceEnd);
  const decipher = createDecipheriv("aes-256-gcm", key, nonce, { authTagLength: TAG_BYTES })
    .setAAD(bytes.subarray(0, start))
    .setAuthTag(bytes.subarray(nonceEnd, tagEnd));
  const plain = Buffer.concat([decipher.update(bytes.subarray(tagEnd)), decipher.final()]);
  const { memory, ...rest } = deserialize(plain);
  return { ...rest, memory: { ...memory, flags: deserialized(memory.flags) } };
}

/** The snapshot in a file; null where there is none that this release can serve from. */
export function readSnapshot(file: string, key: Buffer): Snapshot | null {
  try {
    const snapshot = unsealed(readFileSync(file), key);
    return snapshot.release === releaseOf() ? snapshot : null;
  } catch (error) {
    const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
    if (!isMissing)
      log().warn(`${file} is damaged, or was written with another ENCRYPTION_KEY: it is not used.`);
    return null;
  }
}

/** Serves from a snapshot until the database can be asked. */
export function recall(runtime: Runtime, { memory }: Snapshot): void {
  runtime.directory.recall(memory.accounts);
  runtime.flags.recall(memory.flags);
  runtime.cohorts.recall(memory.cohorts);
  runtime.surveys.recall(memory.surveys);
  runtime.definitions.recall(memory.group_types);
}

const IN_USE = "projects in use";

/**
 * Has siblings hold the same projects in memory, whichever of them serves one first: they write the same snapshot, and
 * the last one to write it must not leave out what another served.
 */
export function shareProjects(runtime: Runtime, siblings: Siblings) {
  const held = () => [...runtime.flags.remembered().keys()];
  const tell = () => siblings.tell(IN_USE, held());
  siblings.onTold(IN_USE, (projects) => {
    const theirs = new Set(projects as number[]);
    const ours = new Set(held());
    for (const id of [...theirs].filter((each) => !ours.has(each)))
      Promise.all([runtime.definitions.project(id), runtime.surveys.project(id)]).catch((error: unknown) => {
        if (!asDatabaseUnavailable(error))
          log().error({ error }, "A project that another process serves could not be read.");
      });
    if ([...ours].some((each) => !theirs.has(each))) tell();
  });
  tell();
  const timer = setInterval(tell, SAVE_EVERY_MS / 2).unref();
  return { end: () => clearInterval(timer) };
}

/** Every value that a memory holds: values are replaced, never changed, so equal lists mean an equal memory. */
const partsOf = ({ accounts, ...caches }: Memory): unknown[] => [
  accounts.accounts,
  ...accounts.keys.values(),
  ...Object.values(caches).flatMap((values: ReadonlyMap<number, unknown>) => [...values.values()]),
];

/** Removes what processes left that ended while they wrote. */
function removeAbandoned(file: string): void {
  const folder = dirname(file);
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(`${basename(file)}.`) || !name.endsWith(DRAFT)) continue;
    const { mtimeMs = 0 } = statSync(join(folder, name), { throwIfNoEntry: false }) ?? {};
    if (Date.now() - mtimeMs > SAVE_EVERY_MS) rmSync(join(folder, name), { force: true });
  }
}

/** Keeps a snapshot of a process's memory in a file: now and then, when its database goes away, and when it ends. */
export function keepSnapshot(runtime: Runtime, file: string) {
  let saved: unknown[] = [];
  let saving = Promise.resolve();
  const write = async () => {
    const memory = rememberedBy(runtime);
    const parts = partsOf(memory);
    if (parts.length === saved.length && parts.every((part, at) => part === saved[at])) return;
    const as_of = runtime.availability.away_since ?? new Date();
    const bytes = sealed({ release: releaseOf(), as_of, memory }, runtime.settings.encryption_key);
    mkdirSync(dirname(file), { recursive: true });
    const draft = `${file}.${process.pid}${DRAFT}`;
    try {
      const handle = await open(draft, "w", 0o600);
      try {
        await handle.writeFile(bytes);
        await handle.sync();
      } finally {
        await handle.close();
      }
      await rename(draft, file);
    } catch (error) {
      await unlink(draft).catch(() => undefined);
      throw error;
    }
    saved = parts;
  };
  const save = (): Promise<void> => {
    saving = saving
      .then(write)
      .catch((error: unknown) => log().error({ error }, `${file} could not be written.`));
    return saving;
  };
  removeAbandoned(file);
  const timer = setInterval(() => void save(), SAVE_EVERY_MS).unref();
  const stop = runtime.availability.onChange((awaySince) => void (awaySince && save()));
  return {
    /** Saves for the last time. */
    async end(): Promise<void> {
      clearInterval(timer);
      stop();
      await save();
    },
  };
}
