import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { expect, it } from "vitest";
import { createOutward, type OutwardSettings } from "#lib/app/server/outward.ts";
import { sessionCookie } from "./session-cookie.ts";

/** The cookie for a request that arrives without TLS at a server with these settings. */
function cookieAt(settings: OutwardSettings, headers: Record<string, string> = {}) {
  const request = new IncomingMessage(new Socket());
  Object.assign(request.headers, { host: "10.0.0.7:3000", ...headers });
  return sessionCookie(createOutward(settings).outward(request));
}

it("is kept to this host and to TLS where the public address is https", () => {
  expect(cookieAt({ publicUrl: "https://flags.example" })).toEqual({
    name: "__Host-switchyard_session",
    // A browser takes a cookie of that name only if it is secure, for the whole host, and names no domain.
    attributes: { httpOnly: true, sameSite: "lax", secure: true, path: "/" },
  });
});

it.each([
  ["an http address", { publicUrl: "http://flags.example" }, {}],
  ["no address", {}, {}],
  ["a client that claims TLS", {}, { "x-forwarded-proto": "https" }],
])("is an ordinary one with %s", (_, settings, headers) => {
  expect(cookieAt(settings, headers)).toMatchObject({
    name: "switchyard_session",
    attributes: { httpOnly: true, secure: false },
  });
});
