import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { readAccessLog } from "./access-log.ts";

const folder = mkdtempSync(join(tmpdir(), "switchyard-access-log-"));
const file = join(folder, "access.log");
afterAll(() => rmSync(folder, { recursive: true }));

it.each([
  [
    "the combined format",
    '127.0.0.1 - ann [23/Nov/2026:12:00:00 +0000] "GET /api/projects/1/surveys/?limit=5 HTTP/1.1" 200 512 "-" "curl/8"',
    ["/api/projects/1/surveys/?limit=5"],
  ],
  [
    "plain paths",
    "/api/projects/\r\n/flags/definitions?token=phc_x",
    ["/api/projects/", "/flags/definitions?token=phc_x"],
  ],
  ["no writes", '"POST /batch HTTP/1.1" 200\n"GET /a HTTP/1.1" 200', ["/a"]],
  ["each once, the latest last", "/a\n/b\n/a", ["/b", "/a"]],
  ["only the latest", "/a\n/b\n/c\n/d", ["/b", "/c", "/d"]],
  ["no keys", "/a?personal_api_key=phx_secret&search=x%20y", ["/a?search=x+y"]],
])("reads %s", async (_, text, targets) => {
  writeFileSync(file, text);
  expect(await readAccessLog(file, 3)).toEqual(targets);
});

it("says what is wrong with a file", async () => {
  writeFileSync(file, "hello\n");
  await expect(readAccessLog(file, 3)).rejects.toThrow(`There is no GET in ${file}`);
  await expect(readAccessLog(join(folder, "none"), 3)).rejects.toThrow("none cannot be read (ENOENT).");
  await expect(readAccessLog(folder, 3)).rejects.toThrow("cannot be read (EISDIR).");
});
