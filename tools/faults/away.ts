import { FAULTS, takeDatabaseAway } from "./database-away.ts";
import type { Kind } from "./rounds.ts";

/**
 * A database that does not answer.
 *
 * @param seconds for how long
 * @param p99_ms what reads may take once the fault is known: the slowest per cent
 */
export const away = (seconds: number, p99_ms: number): Kind => ({
  name: "away",
  async open(server) {
    const { address, create, migrated, drop } = await server();
    return {
      async round({ turn }) {
        const name = await create();
        const database = await migrated(name);
        try {
          const { fault, reads, problems, recovered_after, ...figures } = await takeDatabaseAway({
            fault: turn(FAULTS),
            seconds,
            database,
            target: address,
            urlAt: (port) => `postgresql://${address.user}@127.0.0.1:${port}/${name}`,
            p99_ms,
          });
          const details = [
            ...Object.entries(reads).map(
              ([read, { count, p99 }]) => `${read}: ${count} answers, 99% within ${p99} ms`,
            ),
            ...Object.entries(figures).map(([figure, value]) => `${figure.replaceAll("_", " ")}: ${value}`),
          ];
          return { what: `database ${fault}, for ${seconds} s`, recovered_after, problems, details };
        } finally {
          await database.close();
          await drop(name);
        }
      },
      close: async () => undefined,
    };
  },
});
