import { type Logger, type LoggerOptions, pino } from "pino";
import pretty from "pino-pretty";
import { config } from "./config.ts";
import { errorCode } from "./db/errors.ts";

/** What the database says about bad data (SQLSTATE 22…) quotes it. */
const withoutData = ({ message }: Error, code: string | undefined): string =>
  code !== undefined && /^22[0-9A-Z]{3}$/.test(code) ? message.replace(/"[^"]*"/g, '"…"') : message;

const DEPTH = 5;

/**
 * What a log says of an error: what went wrong and where, never whom or what it was about. Parameters of statements and
 * details of the database are people's data.
 */
export function describeError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return { message: String(error) };
  // The query builder's wrapper around what the database said: its message has the parameters.
  if ("query" in error && "params" in error)
    return error.cause ? describeError(error.cause, depth) : { type: error.name, message: error.query };
  const code = errorCode(error);
  return {
    type: error.name,
    message: withoutData(error, code),
    ...(code !== undefined && { code }),
    stack: error.stack
      ?.split("\n")
      .filter((line) => /^\s+at /.test(line))
      .map((line) => line.trim()),
    ...(error.cause !== undefined && depth < DEPTH && { cause: describeError(error.cause, depth + 1) }),
  };
}

const options: LoggerOptions = {
  messageKey: "message",
  errorKey: "error",
  base: { pid: process.pid },
  timestamp: pino.stdTimeFunctions.isoTime,
  formatters: { level: (level) => ({ level }) },
  serializers: { error: (error: unknown) => describeError(error) },
};

function create(): Logger {
  const { logLevel: level, logFormat } = config();
  if (logFormat === "json") return pino({ ...options, level });
  const readable = pretty({
    sync: true,
    colorize: process.stdout.isTTY,
    messageKey: "message",
    errorLikeObjectKeys: ["error"],
    ignore: "pid",
    translateTime: "SYS:HH:MM:ss",
  });
  return pino({ ...options, level }, readable);
}

let made: Logger | undefined;

/**
 * The process's log, on standard output. Fields come first, then the message: `log().warn({ error }, "It failed.")`.
 * Fields never carry tokens, keys, paths as they were requested or anything about people.
 */
export function log(): Logger {
  made ??= create();
  return made;
}
