import { replaceDetail } from "#lib/activity/store.ts";
import { type Db, inTransaction } from "#lib/platform/db/connect.ts";
import { createSalt, detailsHash } from "./chain.ts";
import { type Keys, signLines } from "./keys.ts";
import { sealWithin } from "./seal.ts";
import { insertNote, OWN_SCOPE, replaceNote, replaceSalt, selectChain, selectContaining } from "./store.ts";

const ERASED = "[erased]";
const AT_ONCE = 1_000;

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** What could be a part of a name that Switchyard gave, such as "age" of rollout_percentage. */
const isLikeName = (text: string) => /^[\w$]*$/.test(text);

/** Of each change in an entry: what Switchyard calls the record, what was done, and the field. */
const NAMED_BY_SWITCHYARD = new Set(["type", "action", "field"]);

/** The same details without a text, in whatever case it is written; what only Switchyard names is left as it is. */
function without(detail: unknown, text: string): unknown {
  const pattern = new RegExp(escaped(text), "giu");
  const cleared = (each: string) => each.replace(pattern, ERASED);
  const keepsNames = isLikeName(text);
  const left = (part: unknown, path: readonly string[]): unknown => {
    if (typeof part === "string") return cleared(part);
    if (Array.isArray(part)) return part.map((each) => left(each, path));
    if (typeof part !== "object" || part === null) return part;
    const isChange = keepsNames && path.join() === "changes";
    return Object.fromEntries(
      Object.entries(part).map(([key, each]) => [
        keepsNames ? key : cleared(key),
        isChange && NAMED_BY_SWITCHYARD.has(key) ? each : left(each, [...path, key]),
      ]),
    );
  };
  return left(detail, []);
}

/** As it is found in stored JSON: strings in strings, such as payloads of flags, are escaped the same way. */
const inJson = (text: string) => JSON.stringify(text).slice(1, -1);

/**
 * Takes a text, such as an address, out of the details of a project's entries. The chain stays as it is, because it has
 * only salted hashes of details, and the salt goes, too. An entry for each says so, signed, with the hash of what is left.
 *
 * @returns the positions of the entries
 */
export async function eraseFromEntries(
  db: Db,
  keys: Keys,
  { project_id, user_id, text }: { project_id: number; user_id: number; text: string },
): Promise<number[]> {
  return inTransaction(db, async (tx) => {
    await sealWithin(tx, keys);
    const chain = (await selectChain(tx)) ?? "";
    const [key] = keys;
    const done: number[] = [];
    for (let after = 0; ; ) {
      const found = await selectContaining(tx, project_id, inJson(text), { after, limit: AT_ONCE });
      const changed = found.flatMap(({ detail, ...entry }) => {
        const left = JSON.stringify(without(JSON.parse(detail), text));
        return left === JSON.stringify(JSON.parse(detail)) ? [] : { ...entry, left };
      });
      for (const { position, source, source_id, left } of changed) {
        const salt = createSalt();
        const details = detailsHash(salt, left);
        await (source === "activity_log" ? replaceDetail : replaceNote)(tx, source_id, left);
        await replaceSalt(tx, position, salt);
        const signature = signLines(key, "erasure", [chain, position, details]);
        await insertNote(tx, {
          project_id,
          user_id,
          scope: OWN_SCOPE,
          item_id: String(position),
          activity: "details_erased",
          detail: { position, details, public_key: key.public_key, signature },
        });
        done.push(position);
      }
      const last = found.at(-1);
      if (!last || found.length < AT_ONCE) break;
      after = last.position;
    }
    await sealWithin(tx, keys);
    return done;
  });
}
