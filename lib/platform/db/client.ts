import pg from "pg";
import { asDatabaseUnavailable } from "./errors.ts";

// int8 (ids, counts) as a number; the driver would hand out text. What we store stays far below 2^53.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

/** Resolves with the place to connect to once the server is up; rejects when it stays down. */
export type Gate = () => Promise<{ host: string }>;

/**
 * The driver's connection, with two changes: it waits for the gate before it connects, and what fails
 * because the server is away fails with DatabaseUnavailable.
 */
export function clientClass(gate: Gate | undefined): new (config?: pg.ClientConfig) => pg.Client {
  return class extends pg.Client {
    constructor(config?: pg.ClientConfig) {
      super(config);
      // A connection that breaks between two queries of a transaction would otherwise end the process; the
      // next query on it fails, which is all anybody needs to know.
      this.on("error", () => undefined);
      this.query = translating(this.query.bind(this));
      this.connect = translating(gated(this, this.connect.bind(this), gate));
    }
  };
}

type Connect = pg.Client["connect"];

function gated(client: pg.Client, connect: Connect, gate: Gate | undefined): Connect {
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
