import { afterAll, beforeAll, expect, it } from "vitest";
import { type Service, startService } from "#testing/service.ts";
import { findEncryptionProblem, recordKey } from "./encryption.ts";

const [KEY, OTHER] = [Buffer.alloc(32, 7), Buffer.alloc(32, 8)];
let service: Service;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

it("another encryption key is reported to the operator once payloads cannot be read", async () => {
  const secret = (key: string) =>
    service.api("POST", "/api/projects/1/feature_flags/", {
      key,
      has_encrypted_payloads: true,
      filters: { groups: [{}], payloads: { true: "1" } },
    });
  const problem = (key: Buffer) => findEncryptionProblem(service.db, key, "the file key");
  const told = (what: string, again: string) =>
    `The encrypted ${what} encrypted with a different key than the one in the file key: until you restore the previous key and restart, or save ${again} again, SDKs get a placeholder instead; everything else works.`;

  await service.api("POST", "/api/projects/1/feature_flags/", { key: "plain" });
  await recordKey(service.db, KEY);
  expect([await problem(KEY), await problem(OTHER)]).toEqual([null, null]);
  await secret("one");
  const one = told("payload of 1 flag was", "that payload");
  expect([await problem(KEY), await problem(OTHER)]).toEqual([null, one]);
  await secret("two");
  const two = told("payloads of 2 flags were", "those payloads");
  expect([await problem(KEY), await problem(OTHER)]).toEqual([null, two]);
  // Whoever starts with a key that is known to be right is not held up by reading every payload.
  await recordKey(service.db, OTHER);
  expect(await problem(OTHER)).toBeNull();
  expect(await problem(KEY)).toBeNull();
});
