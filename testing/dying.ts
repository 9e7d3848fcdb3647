import type { Db } from "#lib/platform/db/connect.ts";

const USES = [
  "execute",
  "select",
  "selectDistinctOn",
  "insert",
  "update",
  "delete",
  "transaction",
  "$client",
];

/** A database whose process dies at its n-th use; a transaction is one. */
export function dying(db: Db, at: number): Db {
  let uses = 0;
  return new Proxy(db, {
    get(target, name) {
      if (USES.includes(String(name))) {
        uses += 1;
        if (uses >= at) throw new Error("The process was killed.");
      }
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
