import { randomBytes } from "node:crypto";
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { isIP } from "node:net";
import { availableParallelism, totalmem } from "node:os";
import { join, resolve } from "node:path";
import { z } from "zod";

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
  readonly bootstrapPersonalApiKey: string | undefined;
  readonly bootstrapProjectToken: string | undefined;
  /** Management calls a key may make in a minute; 0 is no limit. */
  readonly rateLimitPerMinute: number;
  /** SDK calls (flags, ingest) a project token may make in a minute; 0 is no limit. */
  readonly sdkRateLimitPerMinute: number;
  /** Events that may be sent with a project token in a minute; 0 is no limit. */
  readonly eventRateLimitPerMinute: number;
  /** Bytes of events that may wait on disk for a database that is away; 0: such events are refused. */
  readonly spoolBytes: number;
  /** Base addresses of other Switchyards this dashboard may talk to, without a trailing slash. */
  readonly apiBaseUrls: readonly string[];
  /** The address that people open, without a trailing slash, where it differs from the one of this process. */
  readonly publicUrl: string | undefined;
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
  /** Whether both of the above come from the environment, rather than from DATA_DIR. */
  readonly secretsAreGiven: boolean;
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

const GIGABYTE = 1024 ** 3;

/** One process for each core, as far as there is a gigabyte of memory for each; eight at most. */
function suitableProcesses(): number {
  const memory = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
  return Math.max(1, Math.min(availableParallelism(), Math.floor(memory / GIGABYTE), 8));
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
  DATABASE_URL: {
    schema: z
      .string()
      .regex(/^postgres(ql)?:\/\/.+/)
      .optional(),
    expects: "a PostgreSQL connection string, such as postgresql://user:password@host:5432/database",
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

type Environment = Readonly<Record<string, string | undefined>>;

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
    bootstrapPersonalApiKey: read(env, "BOOTSTRAP_PERSONAL_API_KEY", variables.BOOTSTRAP_PERSONAL_API_KEY),
    bootstrapProjectToken: read(env, "BOOTSTRAP_PROJECT_TOKEN", variables.BOOTSTRAP_PROJECT_TOKEN),
    rateLimitPerMinute: read(env, "RATE_LIMIT_PER_MINUTE", variables.RATE_LIMIT_PER_MINUTE),
    sdkRateLimitPerMinute: read(env, "SDK_RATE_LIMIT_PER_MINUTE", variables.SDK_RATE_LIMIT_PER_MINUTE),
    eventRateLimitPerMinute: read(env, "EVENT_RATE_LIMIT_PER_MINUTE", variables.EVENT_RATE_LIMIT_PER_MINUTE),
    spoolBytes: read(env, "SPOOL", variables.SPOOL),
    apiBaseUrls: read(env, "API_BASE_URLS", variables.API_BASE_URLS),
    publicUrl: read(env, "PUBLIC_URL", variables.PUBLIC_URL),
    trustedProxies: read(env, "TRUSTED_PROXIES", variables.TRUSTED_PROXIES),
    summaryModel:
      modelUrl === undefined
        ? undefined
        : {
            url: modelUrl,
            key: read(env, "SUMMARY_MODEL_KEY", variables.SUMMARY_MODEL_KEY),
            name: read(env, "SUMMARY_MODEL_NAME", variables.SUMMARY_MODEL_NAME),
          },
    secretsAreGiven: sessionSecret !== undefined && encryptionKey !== undefined,
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
