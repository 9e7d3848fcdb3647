import {
  createPrivateKey,
  createPublicKey,
  hkdfSync,
  type KeyObject,
  sign,
  verify as verifySignature,
} from "node:crypto";
import type { Settings } from "#lib/platform/http/context.ts";

/** A statement of how long a chain is, and what its last hash is. */
export type Checkpoint = {
  /** Hash of the first entry, which no other chain has. */
  chain: string;
  position: number;
  /** Position of the checkpoint before; 0 for the first. */
  previous: number;
  hash: string;
  /** UTC with milliseconds. */
  signed_at: string;
  /** Ed25519, the 32 bytes in hex. */
  public_key: string;
  /** Base64. */
  signature: string;
};

type SigningKey = { secret: KeyObject; public_key: string };

/** The keys of an installation: the first one signs, the others are known from before. */
export type Keys = readonly [SigningKey, ...SigningKey[]];

/** What precedes the 32 bytes of an Ed25519 key in PKCS #8, and in SubjectPublicKeyInfo. */
const PKCS8 = Buffer.from("302e020100300506032b657004220420", "hex");
const SPKI = Buffer.from("302a300506032b6570032100", "hex");

function keyOf(seed: Uint8Array): SigningKey {
  const secret = createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: "der", type: "pkcs8" });
  const der = createPublicKey(secret).export({ type: "spki", format: "der" });
  return { secret, public_key: der.subarray(SPKI.length).toString("hex") };
}

/** The keys that were given, the newest first, and last the one that follows from the encryption key. */
export function keysOf({ encryption_key, audit }: Pick<Settings, "encryption_key" | "audit">): Keys {
  const derived = hkdfSync("sha256", encryption_key, "", "switchyard: checkpoints of the audit log", 32);
  const last = keyOf(Buffer.from(derived));
  const [first, ...others] = (audit?.signing_keys ?? []).map(keyOf);
  return first ? [first, ...others, last] : [last];
}

/** Each kind of statement has a first line of its own, so that none can be taken for another. */
const textOf = (kind: string, lines: readonly (string | number)[]) =>
  Buffer.from([`switchyard audit ${kind} v1`, ...lines, ""].join("\n"));

const publicKeyOf = (hex: string) =>
  createPublicKey({ key: Buffer.concat([SPKI, Buffer.from(hex, "hex")]), format: "der", type: "spki" });

/** Signs lines without line breaks. */
export const signLines = (
  { secret }: SigningKey,
  kind: string,
  lines: readonly (string | number)[],
): string => sign(null, textOf(kind, lines), secret).toString("base64");

export function isSigned(
  public_key: string,
  signature: string,
  kind: string,
  lines: readonly (string | number)[],
): boolean {
  // One way of writing a key and a signature: bytes that change nothing are found, too.
  if (!/^[0-9a-f]{64}$/.test(public_key)) return false;
  const given = Buffer.from(signature, "base64");
  if (given.length !== 64 || given.toString("base64") !== signature) return false;
  return verifySignature(null, textOf(kind, lines), publicKeyOf(public_key), given);
}

type Unsigned = Omit<Checkpoint, "public_key" | "signature">;

const linesOf = (of: Unsigned & { public_key: string }) => [
  of.chain,
  of.position,
  of.previous,
  of.hash,
  of.signed_at,
  of.public_key,
];

export function signCheckpoint([key]: Keys, of: Unsigned): Checkpoint {
  const { public_key } = key;
  return { ...of, public_key, signature: signLines(key, "checkpoint", linesOf({ ...of, public_key })) };
}

/** Whether a checkpoint has the signature of the key that it names. */
export const isSignedCheckpoint = (of: Checkpoint): boolean =>
  isSigned(of.public_key, of.signature, "checkpoint", linesOf(of));
