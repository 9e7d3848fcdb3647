import { describe, expect, it } from "vitest";
import { candidate, findCandidate } from "./auth.ts";

const inHeader = (authorization?: string) => {
  const url = new URL("http://host/");
  const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
  return candidate(new Request(url, { headers }), url);
};

describe("a credential in the header", () => {
  it.each([
    ["Bearer phx_a", "phx_a"],
    ["Bearer   phx_a  ", "phx_a"],
    ["Bearer\tphx_a", "phx_a"],
  ])("is found in %j", (header, value) => {
    expect(inHeader(header)).toEqual({ value, where: "Authorization header" });
  });

  it.each([undefined, "", "Bearer", "Bearerphx_a", "bearer phx_a", "Basic phx_a", "x Bearer phx_a"])(
    "is none in %j",
    (header) => {
      expect(inHeader(header)).toBeNull();
    },
  );
});

describe("a credential in the body", () => {
  it("is a text of its name", () => {
    expect(findCandidate({ personal_api_key: "phx_a", other: 1 })).toEqual({ value: "phx_a", where: "body" });
  });

  it.each([
    [undefined],
    [null],
    ["phx_a"],
    [5],
    [["phx_a"]],
    [{}],
    [{ key: "phx_a" }],
    [{ personal_api_key: "" }],
    [{ personal_api_key: 5 }],
    [{ personal_api_key: null }],
  ])("is none in %j", (body) => {
    expect(findCandidate(body)).toBeNull();
  });
});
