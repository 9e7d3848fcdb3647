import { StartError } from "#lib/platform/config.ts";

/** The connection string with another database's name. */
export function withDatabase(url: string, name: string): string {
  const [, server, query = ""] = /^(postgres(?:ql)?:\/\/[^/?]*)(?:\/[^?]*)?(\?.*)?$/.exec(url) ?? [];
  if (server === undefined) throw new StartError("DATABASE_URL has no server part.");
  return `${server}/${name}${query}`;
}
