import { createHmac, createPrivateKey, createPublicKey, hkdfSync, type KeyObject, sign } from "node:crypto";

const derive = (encryptionKey: Uint8Array, purpose: string): Buffer =>
  Buffer.from(hkdfSync("sha256", encryptionKey, Buffer.alloc(0), purpose, 32));

/** Hashes distinct ids so that only who has the encryption key can tell whether one of them is meant. */
export function createHasher(encryptionKey: Uint8Array): (projectId: number, distinctId: string) => string {
  const key = derive(encryptionKey, "switchyard: erased distinct ids");
  return (projectId, distinctId) =>
    createHmac("sha256", key).update(`${projectId}\u0000${distinctId}`).digest("base64url");
}

/** What precedes the 32 bytes of an Ed25519 key in PKCS #8. */
const PKCS8 = Buffer.from("302e020100300506032b657004220420", "hex");

function signingKey(encryptionKey: Uint8Array): KeyObject {
  const seed = derive(encryptionKey, "switchyard: certificates of erasure");
  return createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: "der", type: "pkcs8" });
}

/** Signs a text with Ed25519; the signature in base64, and the key to check it with as PEM. */
export function signText(encryptionKey: Uint8Array, text: string): { signature: string; public_key: string } {
  const key = signingKey(encryptionKey);
  return {
    signature: sign(null, Buffer.from(text), key).toString("base64"),
    public_key: createPublicKey(key).export({ type: "spki", format: "pem" }).toString(),
  };
}
