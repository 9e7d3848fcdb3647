import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { StartError } from "#lib/platform/config.ts";
import { errorCode } from "#lib/platform/db/errors.ts";

/** The request of a line in the formats that proxies write, or a line that is nothing but a path. */
const REQUEST = /"GET (\/[^\s"]*)(?: HTTP\/[\d.]+)?"|^(\/\S*)$/;
/** A key in the query: the rehearsal reads with its own. */
const KEY = "personal_api_key";

function targetIn(line: string): string | null {
  const [, logged, bare] = REQUEST.exec(line.trim()) ?? [];
  const target = logged ?? bare;
  if (target === undefined || !URL.canParse(target, "http://localhost")) return null;
  const { pathname, searchParams } = new URL(target, "http://localhost");
  searchParams.delete(KEY);
  return searchParams.size > 0 ? `${pathname}?${searchParams}` : pathname;
}

/**
 * What an access log says was read: the latest different paths of its GETs, with their queries but without keys.
 *
 * @throws StartError when the file cannot be read or names none
 */
export async function readAccessLog(file: string, most: number): Promise<string[]> {
  const targets = new Set<string>();
  try {
    for await (const line of createInterface({ input: createReadStream(file) })) {
      const target = targetIn(line);
      if (target === null) continue;
      targets.delete(target);
      targets.add(target);
      if (targets.size <= most) continue;
      const [oldest = ""] = targets;
      targets.delete(oldest);
    }
  } catch (error) {
    throw new StartError(`${file} cannot be read (${errorCode(error)}).`);
  }
  if (targets.size === 0) throw new StartError(`There is no GET in ${file}, which should be an access log.`);
  return [...targets];
}
