import pg from "pg";
import { tracer } from "#lib/platform/tracing.ts";
import type { Availability } from "./availability.ts";
import { asDatabaseUnavailable, DatabaseUnavailable } from "./errors.ts";

// int8 (ids, counts) as a number; the driver would hand out text. What we store stays far below 2^53.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

/** Resolves with the place to connect to once the server is up; rejects when it stays down for that long. */
export type Gate = (patienceMs: number) => Promise<{ host: string }>;

/**
 * The driver's connection, with three changes: it waits for the gate before it connects; what fails because the server
 * is away fails with DatabaseUnavailable; and while the server is known to be away, everything fails so at once.
 */
export function clientClass(
  gate: Gate | undefined,
  patienceMs: number,
  availability?: Availability,
): new (
  config?: pg.ClientConfig,
) => pg.Client {
  return class extends pg.Client {
    constructor(config?: pg.ClientConfig) {
      super(config);
      // A connection that breaks between two queries of a transaction would otherwise end the process; the
      // next query on it fails, which is all anybody needs to know.
      this.on("error", () => undefined);
      this.query = traced(translating(refusing(this.query.bind(this), availability)));
      this.connect = translating(
        refusing(
          abandoned(
            this,
            gated(this, this.connect.bind(this), gate && (() => gate(patienceMs))),
            availability,
          ),
          availability,
        ),
      );
    }
  };
}

type Connect = pg.Client["connect"];

function gated(client: pg.Client, connect: Connect, gate: (() => ReturnType<Gate>) | undefined): Connect {
  if (!gate) return connect;
  return new Proxy(connect, {
    apply(target, self, args: unknown[]) {
      const opened = gate().then(({ host }) => {
        client.host = host;
        return Reflect.apply(target, self, []);
      });
      const callback = args[0];
      if (typeof callback !== "function") return opened;
      opened.then(
        () => callback(null, client),
        (error: unknown) => callback(error),
      );
      return undefined;
    },
  });
}

/** A connection that breaks as soon as the server is away, whatever it waits for: the server would leave it waiting. */
function abandoned(client: pg.Client, connect: Connect, availability: Availability | undefined): Connect {
  if (!availability) return connect;
  return new Proxy(connect, {
    apply(target, self, args: unknown[]) {
      const stop = availability.onChange((awaySince) => {
        if (awaySince !== null) client.connection.stream.destroy();
      });
      client.once("end", stop);
      return Reflect.apply(target, self, args);
    },
  });
}

/** A method of the driver that fails while the server is away, in its promise and its callback form. */
function refusing<F extends (...args: never[]) => unknown>(
  method: F,
  availability: Availability | undefined,
): F {
  if (!availability) return method;
  return new Proxy(method, {
    apply(target, self, args: unknown[]) {
      if (availability.away_since === null) return Reflect.apply(target, self, args);
      const error = new DatabaseUnavailable("The database is unavailable: it does not answer.");
      const callback = args.at(-1);
      if (typeof callback !== "function") return Promise.reject(error);
      process.nextTick(callback as () => void, error);
      return undefined;
    },
  });
}

/** The text of a statement, in any form in which the driver takes it; empty where it has none. */
export const textOf = (query: unknown): string => {
  const text = typeof query === "object" && query !== null && "text" in query ? query.text : query;
  return typeof text === "string" ? text : "";
};

/** A method that makes statements, followed where traces are wanted. In its callback form, a pool follows it. */
export function traced<F extends (...args: never[]) => unknown>(method: F): F {
  const traces = tracer();
  if (!traces) return method;
  return new Proxy(method, {
    apply(target, self, args: unknown[]) {
      const run = () => Reflect.apply(target, self, args);
      if (typeof args.at(-1) === "function") return run();
      const text = textOf(args[0]);
      return text === "" ? run() : traces.statement(text, async () => run());
    },
  });
}

/** Wraps a method of the driver, in its promise and its callback form. */
function translating<F extends (...args: never[]) => unknown>(method: F): F {
  const translate = (error: unknown) => asDatabaseUnavailable(error) ?? error;
  return new Proxy(method, {
    apply(target, self, args: unknown[]) {
      const callback = args.at(-1);
      if (typeof callback === "function") {
        const translated = (error: unknown, result: unknown) =>
          callback(error ? translate(error) : error, result);
        return Reflect.apply(target, self, [...args.slice(0, -1), translated]);
      }
      const result: unknown = Reflect.apply(target, self, args);
      if (!(result instanceof Promise)) return result;
      return result.catch((error: unknown) => {
        throw translate(error);
      });
    },
  });
}
