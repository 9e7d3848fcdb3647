/** What a transaction sees, as PostgreSQL writes it down: `xmin:xmax:xip,xip…`. */
export type Snapshot = {
  /** The first transaction that may not have ended. */
  from: string;
  /** Whether what this transaction wrote was seen. */
  has: (transaction: number) => boolean;
};

/** @param text a pg_snapshot */
export function parseSnapshot(text: string): Snapshot {
  const [from = "0", to = "0", running = ""] = text.split(":");
  const [low, high] = [Number(from), Number(to)];
  const open = new Set(running === "" ? [] : running.split(",").map(Number));
  return {
    from,
    has: (transaction) => transaction < low || (transaction < high && !open.has(transaction)),
  };
}
