import { Hono } from "hono";
import { expect, it } from "vitest";
import { cors } from "./cors.ts";

const app = new Hono().use("*", cors()).get("/", (c) => c.text("hello"));
const origin = "https://shop.example";

it("a page of any origin may read the answer, and its tag, its id and how long to wait", async () => {
  const { headers } = await app.request("/", { headers: { origin } });
  expect(headers.get("access-control-allow-origin")).toBe("*");
  expect(headers.get("access-control-expose-headers")).toBe(
    "ETag,Retry-After,Switchyard-Stale-Since,X-Request-Id",
  );
  expect(headers.has("access-control-allow-credentials")).toBe(false);
});

it("a page may ask first, and keeps the permission for a day", async () => {
  const { status, headers } = await app.request("/", {
    method: "OPTIONS",
    headers: { origin, "access-control-request-method": "POST" },
  });
  expect(status).toBe(204);
  expect(headers.get("access-control-allow-origin")).toBe("*");
  expect(headers.get("access-control-allow-methods")).toBe("GET,POST,OPTIONS");
  expect(headers.get("access-control-max-age")).toBe("86400");
});
