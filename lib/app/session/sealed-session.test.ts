import fc from "fast-check";
import { sealData } from "iron-session";
import { expect, it, vi } from "vitest";
import { openSession, sealSession } from "./sealed-session.ts";

const PASSWORD = "a-password-of-at-least-32-characters";
const session = { id: "some-id", api_key: "phx_key", api_base_url: "own" };

it("gives back what was sealed, until it is over", async () => {
  const sealed = await sealSession(session, PASSWORD);
  expect(sealed).not.toContain("phx_key");
  expect(await openSession(sealed, PASSWORD)).toEqual(session);
  expect(await openSession(sealed, "another-password-of-32-characters-")).toBeNull();
  vi.setSystemTime(Date.now() + 15 * 86_400_000);
  try {
    expect(await openSession(sealed, PASSWORD)).toBeNull();
  } finally {
    vi.useRealTimers();
  }
});

it.each([
  undefined,
  "",
  "~",
  "~2",
  "Fe26.2*1*aa*bb*cc*dd*ee*ff~2",
  "Fe26.2*1*aa*bb*cc**ee*ff~2",
  "Fe26.1*1*aa*bb*cc*1*ee*ff~2",
  "Fe26.2**aa*bb*cc*99999999999999*ee*ff",
  "x".repeat(100_000),
  "Fe26.2*1*aa*bb*cc*dd*ee*ff~2".repeat(200),
])("opens nothing in %j", async (cookie) => {
  expect(await openSession(cookie, PASSWORD)).toBeNull();
});

it("opens nothing that was sealed with other contents", async () => {
  for (const contents of [
    {},
    { api_key: "phx_key", api_base_url: "own" },
    { ...session, id: 5 },
    "text",
    null,
  ])
    expect(await openSession(await sealData(contents, { password: PASSWORD }), PASSWORD)).toBeNull();
});

it("never throws, whatever a browser sends", async () => {
  const sealed = await sealSession(session, PASSWORD);
  const parts = sealed.split("*");
  const damaged = fc
    .tuple(
      fc.nat(parts.length - 1),
      fc.oneof(fc.constant(""), fc.string(), fc.constantFrom("aa", "-1", "1e99", "=")),
    )
    .map(([at, by]) => parts.map((part, i) => (i === at ? by : part)).join("*"));
  const cut = fc.nat(sealed.length - 1).map((length) => sealed.slice(0, length));
  const seal = fc
    .array(fc.string(), { minLength: 1, maxLength: 10 })
    .map((pieces) => `Fe26.2*${pieces.join("*")}~2`);
  await fc.assert(
    fc.asyncProperty(fc.oneof(damaged, cut, seal, fc.string({ unit: "binary" })), async (cookie) => {
      const opened = await openSession(cookie, PASSWORD);
      // Version marks and the id of the password take no part in the seal.
      if (opened !== null) expect(opened).toEqual(session);
    }),
    { numRuns: 2_000 },
  );
});
