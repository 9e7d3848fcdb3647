import {
  createHash,
  createPrivateKey,
  createPublicKey,
  hkdfSync,
  type KeyObject,
  sign,
  verify,
} from "node:crypto";

/** The header of a bundle's signature. */
export const SIGNATURE = "switchyard-signature";

/** A signature of anything else that is made with the same key does not fit a bundle. */
const DOMAIN = Buffer.from("switchyard relay bundle\n");
const signedBytes = (body: Uint8Array) => Buffer.concat([DOMAIN, body]);

/** What precedes the 32 bytes of an Ed25519 key in PKCS #8. */
const PKCS8 = Buffer.from("302e020100300506032b657004220420", "hex");

/** The 32 bytes of a public key in base64url. */
export type PublicKey = string;

const exported = (key: KeyObject): PublicKey => createPublicKey(key).export({ format: "jwk" }).x ?? "";

/** Tells the origins of bundles apart. */
export const fingerprintOf = (key: PublicKey): string =>
  createHash("sha256").update(key).digest("hex").slice(0, 16);

/** Signs bundles: the same in all processes that have the same encryption key. */
export function createSigner(encryptionKey: Uint8Array) {
  const seed = Buffer.from(hkdfSync("sha256", encryptionKey, "", "switchyard: relay bundles", 32));
  const key = createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: "der", type: "pkcs8" });
  return {
    public_key: exported(key),
    sign: (body: Uint8Array): string => sign(null, signedBytes(body), key).toString("base64"),
  };
}

/** @param key 32 bytes in base64url */
export function createVerifier(key: PublicKey) {
  const publicKey = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x: key }, format: "jwk" });
  return {
    origin: fingerprintOf(key),
    isSigned: (body: Uint8Array, signature: string): boolean =>
      verify(null, signedBytes(body), publicKey, Buffer.from(signature, "base64")),
  };
}
