import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, expect, it } from "vitest";
import type { z } from "zod";
import { flagContract } from "#lib/flags/feature_flags/contract.ts";
import { COMPILED, PROJECT_TOKEN, type Process, startProcess } from "#testing/processes.ts";

const FLAGS = "/api/projects/1/feature_flags/";
const MARKER = '"********* (encrypted)"';
const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), "encryption-"));
const file = join(folder, "full.backup");
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a command line on a DATA_DIR, as an operator does; what it printed. */
async function command(name: "backup" | "restore", dataDir: string): Promise<string> {
  const program = join(import.meta.dirname, `${name}.ts`);
  const env = { ...COMPILED, NODE_ENV: "production" as const, PATH: process.env.PATH, DATA_DIR: dataDir };
  const { stdout, stderr } = await run(process.execPath, [program, file], { env });
  return stdout + stderr;
}

/** The encryption key that a DATA_DIR has of its own. */
const keyOf = (dataDir: string) => readFileSync(join(dataDir, "secrets", "encryption_key"), "utf8").trim();

const everyone = [{ properties: [], rollout_percentage: 100 }];
const SECRET = '{"token":"s3cret"}';

async function createFlag(on: Process, key: string, encrypted: boolean) {
  const made = await on.call("POST", FLAGS, {
    key,
    filters: { groups: everyone, payloads: { true: SECRET } },
    has_encrypted_payloads: encrypted,
    is_remote_configuration: true,
  });
  expect(made.status, made.text).toBe(201);
  return made.json.id as number;
}

it("a backup restored beside another encryption key loses no more than the encrypted payloads", async () => {
  const [from, to] = [join(folder, "from"), join(folder, "to")];
  const source = await startProcess({ DATA_DIR: from });
  const sealed = await createFlag(source, "sealed", true);
  const open = await createFlag(source, "open", false);
  await command("backup", from);
  await source.end("SIGTERM");

  const secretFile = join(to, "secrets", "encryption_key");
  const sentence = `The encrypted payload of 1 flag was encrypted with a different key than the one in ${secretFile}`;
  const restored = await command("restore", to);
  expect(restored).toContain("were restored from");
  expect(restored).toContain(sentence);

  const target = await startProcess({ DATA_DIR: to });
  expect(target.output()).toContain(sentence);
  expect(target.output()).not.toContain("s3cret");

  const list = await target.call("GET", FLAGS);
  expect(list.status, list.text).toBe(200);
  expect((flagContract.list.response as z.ZodType).safeParse(list.json).success).toBe(true);
  const byKey = new Map(list.json.results.map((flag: { key: string }) => [flag.key, flag]));
  expect(byKey.get("open")).not.toHaveProperty("unreadable_fields");
  expect(byKey.get("sealed")).toMatchObject({
    unreadable_fields: ["filters.payloads"],
    filters: { groups: everyone, payloads: { true: MARKER } },
  });
  const config = (id: number) => target.call("GET", `${FLAGS}${id}/remote_config/`);
  expect(await config(open)).toMatchObject({ status: 200, json: SECRET });
  expect(await config(sealed)).toMatchObject({ status: 200, json: MARKER });
  const answers = await target.call("POST", "/flags/?v=2", { token: PROJECT_TOKEN, distinct_id: "ada" });
  expect(answers.status, answers.text).toBe(200);
  const definitions = await target.call("GET", `${FLAGS}local_evaluation/?send_cohorts`);
  expect(definitions.status, definitions.text).toBe(200);

  // Saving something else, or what was read, keeps the payload for the day on which the former key comes back.
  const edit = (body: object) => target.call("PATCH", `${FLAGS}${sealed}/`, body);
  expect((await edit({ name: "Renamed" })).json).toMatchObject({ unreadable_fields: ["filters.payloads"] });
  const sentBack = await edit({ filters: { groups: everyone, payloads: { true: MARKER } } });
  expect(sentBack.json).toMatchObject({ unreadable_fields: ["filters.payloads"] });
  const opened = await edit({ has_encrypted_payloads: false });
  expect(opened).toMatchObject({ status: 400, json: { attr: "has_encrypted_payloads" } });
  await target.end("SIGTERM");

  const withFormerKey = await startProcess({ DATA_DIR: to, ENCRYPTION_KEY: keyOf(from) });
  expect(withFormerKey.output()).not.toContain("different key");
  const readable = await withFormerKey.call("GET", `${FLAGS}${sealed}/`);
  expect(readable.json.filters.payloads.true).toBe(SECRET);
  expect(readable.json).not.toHaveProperty("unreadable_fields");
  await withFormerKey.end("SIGTERM");

  const again = await startProcess({ DATA_DIR: to, ENCRYPTION_KEY: keyOf(to) });
  expect(again.output()).toContain("than the one in ENCRYPTION_KEY");
  const renewed = await again.call("PATCH", `${FLAGS}${sealed}/`, {
    filters: { groups: everyone, payloads: { true: '{"token":"new"}' } },
  });
  expect(renewed.json.filters.payloads.true).toBe('{"token":"new"}');
  expect(renewed.json).not.toHaveProperty("unreadable_fields");
  await again.end("SIGTERM");

  const after = await startProcess({ DATA_DIR: to });
  expect(after.output()).not.toContain("different key");
  await after.end("SIGTERM");
});
