import { randomBytes } from "node:crypto";
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { isIP } from "node:net";
import { availableParallelism } from "node:os";
import { join, resolve } from "node:path";
import { parseEnv } from "node:util";
import { z } from "zod";
import { usableMemory } from "./memory.ts";

/** A condition that stops the start. Its message is one sentence for the operator, shown without a stack. */
export class StartError extends Error {
  override name = "StartError";
}

/** Everything an operator may set, read once from the environment. */
export type Config = {
  /** TCP port; 0 lets the system choose one. */
  readonly port: number;
  /** Address to listen on. 127.0.0.1 by default: a fresh install is reachable from its own machine only. */
  readonly host: string;
  /** How many processes share the listener. */
  readonly processes: number;
  /** Absolute folder of everything Switchyard keeps: the embedded database, generated secrets, logs. */
  readonly dataDir: string;
  /** Connection string of a PostgreSQL server; undefined means the embedded one. */
  readonly databaseUrl: string | undefined;
  /** Connection string of a standby server that follows it, for large reads. */
  readonly databaseReplicaUrl: string | undefined;
  /** Address of a ClickHouse database for the copy of all events, credentials included; undefined: there is none. */
  readonly clickhouseUrl: string | undefined;
  readonly bootstrapPersonalApiKey: string | undefined;
  readonly bootstrapProjectToken: string | undefined;
  /** Management calls a key may make in a minute; 0 is no limit. */
  readonly rateLimitPerMinute: number;
  /** SDK calls (flags, ingest) a project token may make in a minute; 0 is no limit. */
  readonly sdkRateLimitPerMinute: number;
  /** Events that may be sent with a project token in a minute; 0 is no limit. */
  readonly eventRateLimitPerMinute: number;
  /** Open streams of one process, and of one project in it. */
  readonly streamLimit: number;
  readonly streamLimitPerProject: number;
  /** Bytes of events that may wait on disk for a database that is away; 0: such events are refused. */
  readonly spoolBytes: number;
  /** What is worth a line in the log: this and what is worse. */
  readonly logLevel: (typeof LOG_LEVELS)[number];
  /** A JSON object a line, for programs; or lines for people. */
  readonly logFormat: "json" | "text";
  /** Whether traces are sent; OpenTelemetry's libraries read where to and the rest. */
  readonly sendsTraces: boolean;
  /** Whoever has it may read /metrics; undefined: nobody. */
  readonly metricsToken: string | undefined;
  /** Of a relay: a personal API key of its origin. */
  readonly relayKey: string | undefined;
  /** Of a relay: what its origin signs with, 32 bytes in base64url. */
  readonly relayPublicKey: string | undefined;
  /** Of a relay: what it is called at its origin; undefined: as the machine is. */
  readonly relayName: string | undefined;
  /** Of a relay: how often it asks its origin for changes. */
  readonly relayPollMs: number;
  /** Base addresses of other Switchyards this dashboard may talk to, without a trailing slash. */
  readonly apiBaseUrls: readonly string[];
  /** The address that people open, without a trailing slash, where it differs from the one of this process. */
  readonly publicUrl: string | undefined;
  /** The server that sends e-mail, and the sender; undefined: none is sent. */
  readonly mail: { readonly url: string; readonly from: string } | undefined;
  /** Private addresses and networks that notifications may be sent to. */
  readonly notificationNetworks: readonly string[];
  /** Addresses and networks of proxies that say, in X-Forwarded-Host and -Proto, which address people open. */
  readonly trustedProxies: readonly string[];
  /** At least 32 characters; seals the dashboard's cookie. Created and stored in DATA_DIR on first use when not set. */
  readonly sessionSecret: string;
  /** 32 bytes; encrypts flag payloads. Created and stored in DATA_DIR on first use when not set. */
  readonly encryptionKey: Uint8Array;
  /** Where that key comes from, for messages: the variable, or the path of the file. */
  readonly encryptionKeySource: string;
  /** A model that may word summaries of answers, behind an OpenAI-compatible address; undefined: none does. */
  readonly summaryModel:
    | { readonly url: string; readonly key: string | undefined; readonly name: string }
    | undefined;
  /** Backups on a schedule; undefined: none are made. */
  readonly backups: BackupPlan | undefined;
  /** Whether both secrets come from the environment, rather than from DATA_DIR. */
  readonly secretsAreGiven: boolean;
  /** How the audit log is signed, and where else its checkpoints go. */
  readonly audit: {
    /** 32 bytes each, the newest first; empty: the key follows from the encryption key. */
    readonly signing_keys: readonly Uint8Array[];
    /** Absolute path of a file to which checkpoints are appended. */
    readonly checkpoints: string | undefined;
    /** Another Switchyard that stores them: the address of its project's API, and a key for it. */
    readonly witness: { readonly url: string; readonly key: string } | undefined;
  };
};

/** Where backups are stored: a folder, or below a prefix in a bucket. */
export type BackupPlace = { readonly folder: string } | S3Place;

export type S3Place = {
  readonly bucket: string;
  /** Empty, or with a slash at its end. */
  readonly prefix: string;
  /** Without a trailing slash. */
  readonly endpoint: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
};

export type BackupPlan = {
  readonly everyMs: number;
  readonly place: BackupPlace;
  /** How many are stored; older ones are deleted. */
  readonly keep: number;
  /** Where files are written before they are complete. */
  readonly drafts: string;
};

type Variable<T> = { schema: z.ZodType<T, string | undefined>; expects: string; secret?: boolean };

const count = (max: number, fallback: number) =>
  z
    .string()
    .regex(/^\d{1,10}$/)
    .transform(Number)
    .refine((n) => n <= max)
    .default(fallback);

function baseUrl(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  const plain = url.username === "" && url.password === "" && url.search === "" && url.hash === "";
  return plain && /^https?:$/.test(url.protocol) ? url.href.replace(/\/+$/, "") : undefined;
}

const address = z.string().transform((text, ctx) => {
  const url = baseUrl(text.trim());
  if (url === undefined) ctx.addIssue("not an address");
  return url ?? z.NEVER;
});
const addresses = z
  .string()
  .default("")
  .transform((list) => list.split(",").filter((part) => part.trim() !== ""))
  .pipe(z.array(address));

const isNetwork = (text: string): boolean => {
  const [address = "", bits, ...rest] = text.split("/");
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 6 ? 128 : 32));
};

const networks = z
  .string()
  .default("")
  .transform((list) => list.split(",").flatMap((part) => part.trim() || []))
  .refine((list) => list.every(isNetwork));

const UNITS_MS = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** "off", or a period such as 24h in milliseconds. */
const period = z
  .string()
  .regex(/^(off|[1-9]\d{0,3}[mhd])$/)
  .transform((text) => {
    const unit = z.enum(["m", "h", "d"]).safeParse(text.at(-1));
    return text !== "off" && unit.success ? Number.parseInt(text, 10) * UNITS_MS[unit.data] : undefined;
  });

const BUCKET = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([\w./-]*))?$/;
const visible = (max: number) => z.string().regex(new RegExp(`^[\\x21-\\x7e]{1,${max}}$`));

const connectionString = {
  schema: z
    .string()
    .regex(/^postgres(ql)?:\/\/.+/)
    .optional(),
  expects: "a PostgreSQL connection string, such as postgresql://user:password@host:5432/database",
  secret: true,
};

const LOG_LEVELS = ["debug", "info", "warn", "error", "silent"] as const;

const GIGABYTE = 1024 ** 3;

/** One process for each core, as far as there is a gigabyte of memory for each; eight at most. */
function suitableProcesses(): number {
  return Math.max(1, Math.min(availableParallelism(), Math.floor(usableMemory() / GIGABYTE), 8));
}

const variables = {
  PORT: { schema: count(65_535, 3000), expects: "a whole number from 0 to 65535" },
  HOST: {
    schema: z
      .string()
      .regex(/^[\w.:-]+$/)
      .default("127.0.0.1"),
    expects: "an address or host name to listen on, such as 127.0.0.1 or 0.0.0.0",
  },
  PROCESSES: {
    schema: z
      .string()
      .regex(/^(auto|[1-9]\d?)$/)
      .default("auto")
      .transform((text) => (text === "auto" ? suitableProcesses() : Number(text))),
    expects: "auto, or a whole number from 1 to 99",
  },
  DATA_DIR: { schema: z.string().default("./data"), expects: "the path of a folder" },
  DATABASE_URL: connectionString,
  DATABASE_REPLICA_URL: connectionString,
  CLICKHOUSE_URL: {
    schema: z
      .string()
      .regex(/^https?:\/\/[^/?#]+\/\w+$/)
      .refine((text) => URL.canParse(text))
      .optional(),
    expects:
      "an http(s) address with the name of a database, such as http://user:password@host:8123/switchyard",
    secret: true,
  },
  BOOTSTRAP_PERSONAL_API_KEY: {
    schema: z
      .string()
      .regex(/^[\w-]{8,200}$/)
      .optional(),
    expects: "8 to 200 letters, digits, - or _, usually starting with phx_",
    secret: true,
  },
  BOOTSTRAP_PROJECT_TOKEN: {
    schema: z
      .string()
      .regex(/^[\w-]{8,200}$/)
      .optional(),
    expects: "8 to 200 letters, digits, - or _, usually starting with phc_",
    secret: true,
  },
  RATE_LIMIT_PER_MINUTE: { schema: count(1e9, 1200), expects: "a whole number of calls, 0 for no limit" },
  SDK_RATE_LIMIT_PER_MINUTE: {
    schema: count(1e9, 600_000),
    expects: "a whole number of calls, 0 for no limit",
  },
  STREAM_LIMIT: { schema: count(1e6, 10_000), expects: "a whole number of streams, 0 for none" },
  STREAM_LIMIT_PER_PROJECT: { schema: count(1e6, 10_000), expects: "a whole number of streams, 0 for none" },
  EVENT_RATE_LIMIT_PER_MINUTE: {
    schema: count(1e9, 600_000),
    expects: "a whole number of events, 0 for no limit",
  },
  SPOOL: {
    schema: z
      .string()
      .regex(/^(off|[1-9]\d{0,5})$/)
      .default("256")
      .transform((text) => (text === "off" ? 0 : Number(text) * 1024 * 1024)),
    expects: "off, or the megabytes of events that may wait on disk while the database is away",
  },
  BACKUP_EVERY: {
    schema: period.optional(),
    expects: "off, or how often a backup is made, such as 24h, 30m or 7d",
  },
  BACKUP_TO: {
    schema: z
      .string()
      .refine((text) => BUCKET.test(text) || !text.includes("://"))
      .optional(),
    expects: "the path of a folder, or s3://BUCKET/PREFIX",
    // Somebody may have written credentials into it.
    secret: true,
  },
  BACKUP_KEEP: {
    schema: count(10_000, 7).refine((n) => n > 0),
    expects: "a whole number of backups from 1 to 10000",
  },
  AWS_ENDPOINT_URL_S3: {
    schema: address.optional(),
    expects: "the http(s) address of an S3-compatible service without credentials, query or fragment",
    secret: true,
  },
  AWS_REGION: {
    schema: z
      .string()
      .regex(/^[\w-]{1,50}$/)
      .default("us-east-1"),
    expects: "the name of a region, such as eu-central-1",
  },
  AWS_ACCESS_KEY_ID: {
    schema: visible(200).optional(),
    expects: "the id of an access key, without spaces",
    secret: true,
  },
  AWS_SECRET_ACCESS_KEY: {
    schema: visible(500).optional(),
    expects: "a secret access key, without spaces",
    secret: true,
  },
  LOG_LEVEL: {
    schema: z.enum(LOG_LEVELS).default("info"),
    expects: `one of ${LOG_LEVELS.join(", ")}`,
  },
  LOG_FORMAT: {
    schema: z
      .enum(["auto", "json", "text"])
      .default("auto")
      .transform((format) => (format === "auto" ? (process.stdout.isTTY ? "text" : "json") : format)),
    expects: "auto, json or text",
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    schema: address.optional(),
    expects: "an http(s) address without credentials, query or fragment",
  },
  METRICS_TOKEN: {
    schema: z
      .string()
      .regex(/^[\x21-\x7e]{16,200}$/)
      .optional(),
    expects: "16 to 200 printable characters without spaces",
    secret: true,
  },
  SESSION_SECRET: {
    schema: z.string().min(32).optional(),
    expects: "a text of at least 32 characters",
    secret: true,
  },
  ENCRYPTION_KEY: {
    schema: z
      .string()
      .regex(/^[A-Za-z0-9+/]{43}=$/)
      .optional(),
    expects: "32 bytes in base64 (44 characters), as `openssl rand -base64 32` prints them",
    secret: true,
  },
  AUDIT_CHECKPOINTS: { schema: z.string().optional(), expects: "the path of a file" },
  AUDIT_SIGNING_KEY: {
    schema: z
      .string()
      .regex(/^[A-Za-z0-9+/]{43}=(\s*,\s*[A-Za-z0-9+/]{43}=)*$/)
      .transform((list) => list.split(",").map((each) => new Uint8Array(Buffer.from(each, "base64"))))
      .optional(),
    expects:
      "32 bytes in base64 (44 characters), as `openssl rand -base64 32` prints them, or several separated by commas",
    secret: true,
  },
  AUDIT_WITNESS_URL: {
    schema: address.refine((url) => /\/api\/projects\/\d+$/.test(url)).optional(),
    expects: "the http(s) address of a project of another Switchyard, such as https://host/api/projects/1",
  },
  AUDIT_WITNESS_KEY: {
    schema: visible(200).optional(),
    expects: "a personal API key of the other Switchyard, without spaces",
    secret: true,
  },
  RELAY_KEY: {
    schema: visible(200).optional(),
    expects: "a personal API key of the origin",
    secret: true,
  },
  RELAY_PUBLIC_KEY: {
    schema: z
      .string()
      .regex(/^[\w-]{43}$/)
      .optional(),
    expects: "the origin's public key, 43 letters, digits, - or _, as its page Health & data shows it",
  },
  RELAY_NAME: {
    schema: visible(60).optional(),
    expects: "up to 60 printable characters without spaces",
  },
  RELAY_POLL_SECONDS: {
    schema: count(3_600, 5).refine((n) => n > 0),
    expects: "a whole number of seconds from 1 to 3600",
  },
  API_BASE_URLS: {
    schema: addresses,
    expects: "a comma-separated list of http(s) addresses without credentials, query or fragment",
  },
  SUMMARY_MODEL_URL: {
    schema: address.optional(),
    expects: "the http(s) base address of an OpenAI-compatible service, such as http://127.0.0.1:11434/v1",
  },
  SUMMARY_MODEL_KEY: {
    schema: z
      .string()
      .regex(/^[\x21-\x7e]{1,500}$/)
      .optional(),
    expects: "a key of up to 500 printable characters without spaces",
    secret: true,
  },
  SUMMARY_MODEL_NAME: {
    schema: z
      .string()
      .regex(/^[\w./:-]{1,200}$/)
      .default("default"),
    expects: "the name of a model",
  },
  PUBLIC_URL: {
    schema: address.refine((url) => new URL(url).pathname === "/").optional(),
    expects: "an http(s) address without credentials, path, query or fragment",
  },
  SMTP_URL: {
    schema: z
      .string()
      .regex(/^smtps?:\/\/[^/?#\s]+\/?(\?\S*)?$/)
      .refine((text) => URL.canParse(text))
      .optional(),
    expects: "the address of a server for e-mail, such as smtp://user:password@host:587",
    secret: true,
  },
  MAIL_FROM: {
    schema: z
      .string()
      .regex(/^(?:[^<>@\r\n]{0,100}<)?[^\s<>@]+@[^\s<>@]+>?$/)
      .optional(),
    expects: "an e-mail address, such as switchyard@example.com or Switchyard <switchyard@example.com>",
  },
  NOTIFICATION_NETWORKS: {
    schema: networks,
    expects: "a comma-separated list of IP addresses and networks, such as 127.0.0.1, 10.0.0.0/8",
  },
  TRUSTED_PROXIES: {
    schema: networks,
    expects: "a comma-separated list of IP addresses and networks, such as 127.0.0.1, 10.0.0.0/8",
  },
} satisfies Record<string, Variable<unknown>>;

function read<T>(env: Environment, name: string, { schema, expects, secret }: Variable<T>): T {
  const text = env[name]?.trim() || undefined;
  const parsed = schema.safeParse(text);
  if (parsed.success) return parsed.data;
  throw new StartError(`${name} must be ${expects}${secret ? "" : `; it is ${JSON.stringify(text)}`}.`);
}

/** @throws StartError when something of it cannot be used, or the keys of a bucket are missing */
function readBackupPlan(env: Environment, dataDir: string): BackupPlan | undefined {
  const everyMs = read(env, "BACKUP_EVERY", variables.BACKUP_EVERY);
  if (everyMs === undefined) return undefined;
  const drafts = join(dataDir, "backups");
  const to = read(env, "BACKUP_TO", variables.BACKUP_TO) ?? drafts;
  const keep = read(env, "BACKUP_KEEP", variables.BACKUP_KEEP);
  const [isBucket, bucket = "", path = ""] = BUCKET.exec(to) ?? [];
  if (!isBucket) {
    const folder = resolve(/* turbopackIgnore: true */ to);
    return { everyMs, keep, place: { folder }, drafts: folder };
  }
  const region = read(env, "AWS_REGION", variables.AWS_REGION);
  const endpoint = read(env, "AWS_ENDPOINT_URL_S3", variables.AWS_ENDPOINT_URL_S3);
  const accessKeyId = read(env, "AWS_ACCESS_KEY_ID", variables.AWS_ACCESS_KEY_ID);
  const secretAccessKey = read(env, "AWS_SECRET_ACCESS_KEY", variables.AWS_SECRET_ACCESS_KEY);
  if (accessKeyId === undefined || secretAccessKey === undefined)
    throw new StartError(
      "BACKUP_TO is a bucket, so AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY must be set.",
    );
  const prefix = path
    .split("/")
    .filter(Boolean)
    .map((part) => `${part}/`)
    .join("");
  const place = {
    bucket,
    prefix,
    endpoint: endpoint ?? `https://s3.${region}.amazonaws.com`,
    region,
    accessKeyId,
    secretAccessKey,
  };
  return { everyMs, keep, place, drafts };
}

/** @throws StartError when something of it cannot be used, or the key of the other Switchyard is missing */
function readAudit(env: Environment): Config["audit"] {
  const file = read(env, "AUDIT_CHECKPOINTS", variables.AUDIT_CHECKPOINTS);
  const url = read(env, "AUDIT_WITNESS_URL", variables.AUDIT_WITNESS_URL);
  const key = read(env, "AUDIT_WITNESS_KEY", variables.AUDIT_WITNESS_KEY);
  if (url !== undefined && key === undefined)
    throw new StartError("AUDIT_WITNESS_URL is set, so AUDIT_WITNESS_KEY must be set.");
  return {
    signing_keys: read(env, "AUDIT_SIGNING_KEY", variables.AUDIT_SIGNING_KEY) ?? [],
    checkpoints: file === undefined ? undefined : resolve(/* turbopackIgnore: true */ file),
    witness: url === undefined || key === undefined ? undefined : { url, key },
  };
}

/** @throws StartError when only one of the two is set */
function readMail(env: Environment): Config["mail"] {
  const url = read(env, "SMTP_URL", variables.SMTP_URL);
  const from = read(env, "MAIL_FROM", variables.MAIL_FROM);
  if (url === undefined && from === undefined) return undefined;
  if (url === undefined || from === undefined)
    throw new StartError("SMTP_URL and MAIL_FROM must both be set, or neither.");
  return { url, from };
}

type Environment = Readonly<Record<string, string | undefined>>;

/** @throws StartError unless the value of an option is an http(s) address; without its trailing slashes */
export function parseAddress(option: string, text: string | undefined): string {
  const parsed = address.safeParse(text);
  if (parsed.success) return parsed.data;
  throw new StartError(
    `${option} must be followed by an http(s) address without credentials, query or fragment.`,
  );
}

/**
 * Reads a configuration from environment variables; empty ones count as not set.
 *
 * @throws StartError naming the first variable whose value cannot be used, and what it must be
 */
export function parseConfig(env: Environment): Config {
  const dataDir = resolve(/* turbopackIgnore: true */ read(env, "DATA_DIR", variables.DATA_DIR));
  const sessionSecret = read(env, "SESSION_SECRET", variables.SESSION_SECRET);
  const encryptionKey = read(env, "ENCRYPTION_KEY", variables.ENCRYPTION_KEY);
  const modelUrl = read(env, "SUMMARY_MODEL_URL", variables.SUMMARY_MODEL_URL);
  return {
    port: read(env, "PORT", variables.PORT),
    host: read(env, "HOST", variables.HOST),
    processes: read(env, "PROCESSES", variables.PROCESSES),
    dataDir,
    databaseUrl: read(env, "DATABASE_URL", variables.DATABASE_URL),
    databaseReplicaUrl: read(env, "DATABASE_REPLICA_URL", variables.DATABASE_REPLICA_URL),
    clickhouseUrl: read(env, "CLICKHOUSE_URL", variables.CLICKHOUSE_URL),
    bootstrapPersonalApiKey: read(env, "BOOTSTRAP_PERSONAL_API_KEY", variables.BOOTSTRAP_PERSONAL_API_KEY),
    bootstrapProjectToken: read(env, "BOOTSTRAP_PROJECT_TOKEN", variables.BOOTSTRAP_PROJECT_TOKEN),
    rateLimitPerMinute: read(env, "RATE_LIMIT_PER_MINUTE", variables.RATE_LIMIT_PER_MINUTE),
    sdkRateLimitPerMinute: read(env, "SDK_RATE_LIMIT_PER_MINUTE", variables.SDK_RATE_LIMIT_PER_MINUTE),
    eventRateLimitPerMinute: read(env, "EVENT_RATE_LIMIT_PER_MINUTE", variables.EVENT_RATE_LIMIT_PER_MINUTE),
    streamLimit: read(env, "STREAM_LIMIT", variables.STREAM_LIMIT),
    streamLimitPerProject: read(env, "STREAM_LIMIT_PER_PROJECT", variables.STREAM_LIMIT_PER_PROJECT),
    spoolBytes: read(env, "SPOOL", variables.SPOOL),
    logLevel: read(env, "LOG_LEVEL", variables.LOG_LEVEL),
    logFormat: read(env, "LOG_FORMAT", variables.LOG_FORMAT),
    sendsTraces:
      read(env, "OTEL_EXPORTER_OTLP_ENDPOINT", variables.OTEL_EXPORTER_OTLP_ENDPOINT) !== undefined,
    metricsToken: read(env, "METRICS_TOKEN", variables.METRICS_TOKEN),
    relayKey: read(env, "RELAY_KEY", variables.RELAY_KEY),
    relayPublicKey: read(env, "RELAY_PUBLIC_KEY", variables.RELAY_PUBLIC_KEY),
    relayName: read(env, "RELAY_NAME", variables.RELAY_NAME),
    relayPollMs: read(env, "RELAY_POLL_SECONDS", variables.RELAY_POLL_SECONDS) * 1_000,
    apiBaseUrls: read(env, "API_BASE_URLS", variables.API_BASE_URLS),
    publicUrl: read(env, "PUBLIC_URL", variables.PUBLIC_URL),
    mail: readMail(env),
    notificationNetworks: read(env, "NOTIFICATION_NETWORKS", variables.NOTIFICATION_NETWORKS),
    trustedProxies: read(env, "TRUSTED_PROXIES", variables.TRUSTED_PROXIES),
    summaryModel:
      modelUrl === undefined
        ? undefined
        : {
            url: modelUrl,
            key: read(env, "SUMMARY_MODEL_KEY", variables.SUMMARY_MODEL_KEY),
            name: read(env, "SUMMARY_MODEL_NAME", variables.SUMMARY_MODEL_NAME),
          },
    backups: readBackupPlan(env, dataDir),
    secretsAreGiven: sessionSecret !== undefined && encryptionKey !== undefined,
    audit: readAudit(env),
    encryptionKeySource:
      encryptionKey === undefined ? secretFile(dataDir, "encryption_key") : "ENCRYPTION_KEY",
    get sessionSecret() {
      return sessionSecret ?? readStoredSecret(dataDir, "session_secret");
    },
    get encryptionKey() {
      return new Uint8Array(
        Buffer.from(encryptionKey ?? readStoredSecret(dataDir, "encryption_key"), "base64"),
      );
    },
  };
}

const secretFile = (dataDir: string, name: string) => join(dataDir, "secrets", name);

const secrets = new Map<string, string>();

/** The secret of that name in DATA_DIR/secrets (only its owner may read it), made on first use. */
function readStoredSecret(dataDir: string, name: string): string {
  const file = secretFile(dataDir, name);
  const known = secrets.get(file);
  if (known !== undefined) return known;
  try {
    const secret = readSecret(file) ?? makeSecret(file);
    secrets.set(file, secret);
    return secret;
  } catch (error) {
    if (error instanceof StartError) throw error;
    const code = error instanceof Error && "code" in error ? error.code : error;
    throw new StartError(`The secret ${file} cannot be read or written (${code}): check who owns DATA_DIR.`);
  }
}

function readSecret(file: string): string | undefined {
  try {
    const secret = readFileSync(file, "utf8").trim();
    if (Buffer.from(secret, "base64").length === 32) return secret;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
  throw new StartError(`The secret in ${file} is damaged: restore it from a copy of DATA_DIR.`);
}

/** Two processes that start together must agree: the first link wins, and both read what it holds. */
function makeSecret(file: string): string {
  const draft = `${file}.${process.pid}`;
  // DATA_DIR itself stays passable: the database's own user has to reach its folder in it.
  mkdirSync(join(file, "..", ".."), { recursive: true });
  mkdirSync(join(file, ".."), { recursive: true, mode: 0o700 });
  writeFileSync(draft, `${randomBytes(32).toString("base64")}\n`, { mode: 0o600 });
  try {
    linkSync(draft, file);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  return readSecret(file) ?? makeSecret(file);
}

const slot = Symbol.for("switchyard.config");
const shared: typeof globalThis & { [slot]?: Config } = globalThis;

/** The process's configuration, read from the environment on first use. */
export function config(): Config {
  shared[slot] ??= parseConfig(process.env);
  return shared[slot];
}

/** The configuration of a Switchyard in a folder: the environment, then the `.env` there, to which paths are relative. */
export function configIn(folder: string): Config {
  const file = join(folder, ".env");
  const env = { ...(existsSync(file) && parseEnv(readFileSync(file, "utf8"))), ...process.env };
  return parseConfig({ ...env, DATA_DIR: resolve(folder, env.DATA_DIR?.trim() || "data") });
}

/** Sets what the page framework reads from the environment; before it is loaded. */
export function prepareEnvironment(dev: boolean): void {
  Object.assign(process.env, {
    NODE_ENV: dev ? "development" : "production",
    NEXT_TELEMETRY_DISABLED: "1",
  });
}

/** The folder in which the person typed the command: npm runs scripts in the project's own. */
export function findCallersFolder(): string {
  return process.env.INIT_CWD ?? process.cwd();
}

/** The environment for a program that we start, with some variables set. */
export function childEnvironment(extra: Record<string, string>): NodeJS.ProcessEnv {
  return { ...process.env, ...extra };
}

/** What programs need to connect to a database as this one does. */
const CONNECTION = /^(PATH|HOME|TZ|NODE_EXTRA_CA_CERTS|NODE_COMPILE_CACHE|PG[A-Z]+)$/;

/** The environment for another Switchyard, with none of the settings of this one but those given. */
export function connectionEnvironment(settings: Record<string, string>): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => CONNECTION.test(name));
  return { ...Object.fromEntries(inherited), NODE_ENV: "production", ...settings };
}
