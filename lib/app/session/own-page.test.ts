import { describe, expect, it } from "vitest";
import { isFromOwnPage } from "./own-page.ts";

describe("a request of our own page", () => {
  const own = (headers: Record<string, string>) => isFromOwnPage(new Headers(headers));

  it("names our address as its origin", () => {
    expect(own({ origin: "https://flags.example", host: "flags.example" })).toBe(true);
    expect(own({ origin: "http://127.0.0.1:3000", host: "127.0.0.1:3000" })).toBe(true);
  });

  it("may come through a proxy, which says where it was sent to", () => {
    expect(
      own({ origin: "https://flags.example", host: "10.0.0.7", "x-forwarded-host": "flags.example" }),
    ).toBe(true);
  });

  it.each([
    ["another site", { origin: "https://evil.example", host: "flags.example" }],
    ["another name of the same site", { origin: "https://blog.flags.example", host: "flags.example" }],
    ["another port", { origin: "http://127.0.0.1:4000", host: "127.0.0.1:3000" }],
    ["a sandboxed page", { origin: "null", host: "flags.example" }],
    ["no page", { host: "flags.example" }],
  ])("is none of %s", (_, headers) => expect(own(headers)).toBe(false));
});
