import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { parseConfig, StartError } from "./config.ts";

const folder = mkdtempSync(join(tmpdir(), "config-"));
afterAll(() => rmSync(folder, { recursive: true }));

it("has a default for everything", () => {
  const settings = parseConfig({ PORT: "", HOST: "  " });
  expect(settings).toMatchObject({
    port: 3000,
    host: "127.0.0.1",
    dataDir: join(process.cwd(), "data"),
    databaseUrl: undefined,
    rateLimitPerMinute: 1200,
    eventRateLimitPerMinute: 600_000,
    streamLimit: 10_000,
    streamLimitPerProject: 10_000,
    apiBaseUrls: [],
    publicUrl: undefined,
    trustedProxies: [],
    secretsAreGiven: false,
  });
  expect(settings.sdkRateLimitPerMinute).toBeGreaterThan(100 * settings.rateLimitPerMinute);
});

it("reads what is set", () => {
  const settings = parseConfig({
    PORT: "8080",
    RATE_LIMIT_PER_MINUTE: "0",
    API_BASE_URLS: "https://flags.example.com/ , http://127.0.0.1:4000/base/",
    PUBLIC_URL: "https://switchyard.example.com/",
    TRUSTED_PROXIES: " 127.0.0.1,10.0.0.0/8 , ::1, fd00::/8,",
    ENCRYPTION_KEY: Buffer.alloc(32, 1).toString("base64"),
    SESSION_SECRET: "s".repeat(32),
  });
  expect(settings).toMatchObject({
    port: 8080,
    rateLimitPerMinute: 0,
    apiBaseUrls: ["https://flags.example.com", "http://127.0.0.1:4000/base"],
    publicUrl: "https://switchyard.example.com",
    trustedProxies: ["127.0.0.1", "10.0.0.0/8", "::1", "fd00::/8"],
    sessionSecret: "s".repeat(32),
    secretsAreGiven: true,
  });
  expect(settings.encryptionKey).toEqual(new Uint8Array(32).fill(1));
});

it("reads how the audit log is signed, and where its checkpoints go", () => {
  const keys = [1, 2].map((byte) => Buffer.alloc(32, byte).toString("base64"));
  expect(
    parseConfig({
      AUDIT_SIGNING_KEY: keys.join(", "),
      AUDIT_CHECKPOINTS: "checkpoints.jsonl",
      AUDIT_WITNESS_URL: "https://other.example/api/projects/3/",
      AUDIT_WITNESS_KEY: "phx_other",
    }).audit,
  ).toEqual({
    signing_keys: [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)],
    checkpoints: join(process.cwd(), "checkpoints.jsonl"),
    witness: { url: "https://other.example/api/projects/3", key: "phx_other" },
  });
  expect(parseConfig({}).audit).toEqual({ signing_keys: [], checkpoints: undefined, witness: undefined });
  expect(() => parseConfig({ AUDIT_WITNESS_URL: "https://other.example/api/projects/3" })).toThrow(
    "AUDIT_WITNESS_KEY must be set",
  );
});

it.each([
  ["AUDIT_WITNESS_URL", "https://other.example/", "a project of another Switchyard"],
  ["PORT", "http", "a whole number from 0 to 65535"],
  ["PORT", "65536", "a whole number from 0 to 65535"],
  ["PORT", "-1", "a whole number from 0 to 65535"],
  ["HOST", "http://localhost", "an address or host name"],
  ["RATE_LIMIT_PER_MINUTE", "1.5", "a whole number of calls"],
  ["SDK_RATE_LIMIT_PER_MINUTE", "many", "a whole number of calls"],
  ["EVENT_RATE_LIMIT_PER_MINUTE", "-5", "a whole number of events"],
  ["STREAM_LIMIT", "many", "a whole number of streams"],
  ["STREAM_LIMIT_PER_PROJECT", "1e3", "a whole number of streams"],
  ["API_BASE_URLS", "https://a.example,file:///etc/passwd", "http(s) addresses"],
  ["API_BASE_URLS", "https://user:pass@a.example", "http(s) addresses"],
  ["API_BASE_URLS", "a.example", "http(s) addresses"],
  ["PUBLIC_URL", "https://a.example/?x=1", "an http(s) address"],
  ["PUBLIC_URL", "https://a.example/flags", "without credentials, path"],
  ["TRUSTED_PROXIES", "proxy.example", "IP addresses and networks"],
  ["TRUSTED_PROXIES", "10.0.0.0/33", "IP addresses and networks"],
  ["TRUSTED_PROXIES", "10.0.0.0/8/8", "IP addresses and networks"],
  ["TRUSTED_PROXIES", "127.0.0.1 10.0.0.1", "IP addresses and networks"],
])("refuses %s=%s in one sentence", (name, value, expected) => {
  const parse = () => parseConfig({ [name]: value });
  expect(parse).toThrow(StartError);
  const sentence = expect.stringMatching(/^[A-Z_]+ must be .*\.$/);
  expect(parse).toThrow(expect.objectContaining({ message: sentence }));
  expect(parse).toThrow(`${name} must be`);
  expect(parse).toThrow(expected);
  expect(parse).toThrow(`it is ${JSON.stringify(value)}`);
});

it.each([
  ["DATABASE_URL", "mysql://root:hunter2@localhost/db"],
  ["CLICKHOUSE_URL", "http://root:hunter2@localhost:8123"],
  ["CLICKHOUSE_URL", "http://root:hunter2@localhost:8123/events?debug=1"],
  ["CLICKHOUSE_URL", "tcp://root:hunter2@localhost:9000/events"],
  ["BOOTSTRAP_PERSONAL_API_KEY", "phx_hunter2 hunter2"],
  ["BOOTSTRAP_PERSONAL_API_KEY", "short"],
  ["BOOTSTRAP_PROJECT_TOKEN", "phc_hunter2/x"],
  ["SESSION_SECRET", "hunter2"],
  ["ENCRYPTION_KEY", "hunter2"],
  ["AUDIT_SIGNING_KEY", "hunter2"],
])("refuses a bad %s without repeating it", (name, value) => {
  const parse = () => parseConfig({ [name]: value });
  expect(parse).toThrow(new RegExp(`^${name} must be `));
  expect(parse).not.toThrow(value);
});

it("makes secrets on first use and keeps them where only their owner may read them", () => {
  const dataDir = join(folder, "fresh");
  const first = parseConfig({ DATA_DIR: dataDir });
  expect(() => statSync(dataDir)).toThrow("ENOENT");
  expect(first.sessionSecret.length).toBeGreaterThanOrEqual(32);
  expect(first.encryptionKey).toHaveLength(32);
  const again = parseConfig({ DATA_DIR: dataDir });
  expect([again.sessionSecret, again.encryptionKey]).toEqual([first.sessionSecret, first.encryptionKey]);
  const file = join(dataDir, "secrets", "session_secret");
  expect(readFileSync(file, "utf8").trim()).toBe(first.sessionSecret);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(join(dataDir, "secrets")).mode & 0o777).toBe(0o700);
});

it("stops rather than replace a damaged secret", () => {
  const dataDir = join(folder, "damaged");
  expect(parseConfig({ DATA_DIR: dataDir }).encryptionKey).toHaveLength(32);
  const elsewhere = join(folder, "copy");
  parseConfig({ DATA_DIR: elsewhere }).sessionSecret;
  const file = join(elsewhere, "secrets", "encryption_key");
  writeFileSync(file, "half a ke");
  chmodSync(file, 0o600);
  expect(() => parseConfig({ DATA_DIR: elsewhere }).encryptionKey).toThrow(/encryption_key is damaged/);
});

it("reads where and how often backups are made", () => {
  const keys = { AWS_ACCESS_KEY_ID: "id", AWS_SECRET_ACCESS_KEY: "secret" };
  const backupsOf = (env: Record<string, string>) => parseConfig({ DATA_DIR: "/data", ...env }).backups;
  expect(backupsOf({})).toBeUndefined();
  expect(backupsOf({ BACKUP_EVERY: "off", BACKUP_TO: "s3://bucket" })).toBeUndefined();
  expect(backupsOf({ BACKUP_EVERY: "2d" })).toEqual({
    everyMs: 172_800_000,
    keep: 7,
    place: { folder: "/data/backups" },
    drafts: "/data/backups",
  });
  expect(backupsOf({ BACKUP_EVERY: "30m", BACKUP_TO: "/mnt/safe", BACKUP_KEEP: "3" })).toEqual({
    everyMs: 1_800_000,
    keep: 3,
    place: { folder: "/mnt/safe" },
    drafts: "/mnt/safe",
  });
  expect(backupsOf({ BACKUP_EVERY: "6h", BACKUP_TO: "s3://bucket//a/b/", ...keys })).toMatchObject({
    place: { bucket: "bucket", prefix: "a/b/", endpoint: "https://s3.us-east-1.amazonaws.com" },
    drafts: "/data/backups",
  });
});

it.each([
  [{ BACKUP_EVERY: "daily" }, "BACKUP_EVERY"],
  [{ BACKUP_EVERY: "0h" }, "BACKUP_EVERY"],
  [{ BACKUP_EVERY: "1h", BACKUP_KEEP: "0" }, "BACKUP_KEEP"],
  [{ BACKUP_EVERY: "1h", BACKUP_TO: "https://canary:canary@bucket" }, "BACKUP_TO"],
  [{ BACKUP_EVERY: "1h", BACKUP_TO: "s3://canary:canary@bucket" }, "BACKUP_TO"],
  [{ BACKUP_EVERY: "1h", BACKUP_TO: "s3://bucket" }, "AWS_ACCESS_KEY_ID"],
  [
    { BACKUP_EVERY: "1h", BACKUP_TO: "s3://bucket", AWS_ENDPOINT_URL_S3: "http://canary:canary@host" },
    "AWS_ENDPOINT_URL_S3",
  ],
])("refuses to make backups with %j", (env, name) => {
  const attempt = () => parseConfig(env);
  expect(attempt).toThrow(StartError);
  expect(attempt).toThrow(name);
  expect(attempt).not.toThrow("canary");
});
