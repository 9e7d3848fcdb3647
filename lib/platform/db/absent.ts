import { drizzle } from "drizzle-orm/pg-proxy";
import { DatabaseUnavailable } from "./errors.ts";
import type { Db } from "./types.ts";

/** For a process without a database: every statement fails as one does whose database is away. */
export const absentDatabase = (reason: string): Db =>
  drizzle(async () => {
    throw new DatabaseUnavailable(reason);
  }) as unknown as Db;
