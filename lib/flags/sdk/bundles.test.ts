import { readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import packageFile from "#package" with { type: "json" };
import { type SdkService, startSdkService } from "#testing/sdk.ts";

const folder = join(process.cwd(), "node_modules", "posthog-js");
const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
const original = (name: string) => readFileSync(join(folder, "dist", name));

let service: SdkService;
beforeAll(async () => {
  service = await startSdkService();
});
afterAll(() => service.close());

const get = async (path: string, headers: Record<string, string> = {}, method = "GET") => {
  const url = `http://switchyard.test${path}`;
  const response = await service.handle(new Request(url, { method, headers }));
  return {
    status: response.status,
    headers: response.headers,
    bytes: Buffer.from(await response.arrayBuffer()),
  };
};

const YEAR = "public, max-age=31536000, immutable";

it("comes with the package that it serves", () => {
  expect(packageFile.dependencies).toHaveProperty("posthog-js");
});

it.each([
  { path: "/static/array.js", name: "array.js", cached: "public, max-age=300" },
  { path: "/static/surveys.js", name: "surveys.js", cached: "public, max-age=300" },
  { path: `/static/surveys.js?v=${version}`, name: "surveys.js", cached: YEAR },
  { path: "/static/surveys.js?v=0.0.1", name: "surveys.js", cached: "public, max-age=300" },
  { path: `/static/${version}/surveys.js`, name: "surveys.js", cached: YEAR },
  { path: `/static/${version}/posthog-recorder.js`, name: "posthog-recorder.js", cached: YEAR },
])("serves $path to pages of any origin", async ({ path, name, cached }) => {
  const { status, headers, bytes } = await get(path, { origin: "https://shop.example" });
  expect(status).toBe(200);
  expect(bytes.equals(original(name))).toBe(true);
  expect(Object.fromEntries(headers)).toMatchObject({
    "content-type": "text/javascript; charset=utf-8",
    "cache-control": cached,
    "access-control-allow-origin": "*",
    "cross-origin-resource-policy": "cross-origin",
    "x-content-type-options": "nosniff",
    vary: "Accept-Encoding",
  });
});

it.each([
  { accepted: "gzip, deflate, br", encoding: "br", unpack: brotliDecompressSync },
  { accepted: "gzip, br;q=0", encoding: "gzip", unpack: gunzipSync },
  { accepted: "br;q=1.0, gzip;q=0.8", encoding: "br", unpack: brotliDecompressSync },
  { accepted: "identity", encoding: null, unpack: (bytes: Buffer) => bytes },
])("packs for a browser that takes $accepted", async ({ accepted, encoding, unpack }) => {
  const { headers, bytes } = await get("/static/surveys.js", { "accept-encoding": accepted });
  expect(headers.get("content-encoding")).toBe(encoding);
  expect(unpack(bytes).equals(original("surveys.js"))).toBe(true);
});

it("sends nothing again that the browser has", async () => {
  const etag = (await get("/static/array.js")).headers.get("etag") ?? "";
  const again = await get("/static/array.js", { "if-none-match": etag });
  expect([again.status, again.bytes.length]).toEqual([304, 0]);
  expect((await get("/static/surveys.js", { "if-none-match": etag })).status).toBe(200);
});

describe("nothing but the package's scripts", () => {
  it.each([
    "/static/",
    "/static/missing.js",
    "/static/0.0.1/surveys.js",
    "/static/../package.json",
    "/static/%2e%2e/package.json",
    "/static/..%2fpackage.json",
    "/static/..%5cpackage.json",
    "/static/%2e%2e%2f%2e%2e%2f%2e%2e%2fetc%2fpasswd",
    "/static//etc/passwd",
    "/static/src/utils.js",
    "/static/array.js%00",
    "/static/array.d.ts",
    "/static/array.js.map",
    "/static/__proto__",
  ])("%s is not found", async (path) => {
    const { status, bytes } = await get(path);
    expect(status).toBe(404);
    expect(JSON.parse(bytes.toString()).code).toBe("not_found");
  });

  it("is read only", async () => {
    expect((await get("/static/array.js", {}, "POST")).status).toBe(405);
    expect((await get("/static/array.js", {}, "HEAD")).bytes).toHaveLength(0);
    expect((await get("/static/array.js", { origin: "https://a.example" }, "OPTIONS")).status).toBe(204);
  });
});
