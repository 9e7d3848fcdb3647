import { isObject } from "#lib/engines/json.ts";
import type { EraseStep } from "#lib/people/erasures/step.ts";
import { openCalls, sealCalls } from "./calls.ts";
import { selectNaming, updateRequest } from "./store.ts";

type Named = { person_uuid: string; distinct_ids: readonly string[] };

/** The body of a call that names people, by itself or in lists, without one of them and why; other values as they are. */
function withoutPerson(body: unknown, { person_uuid, distinct_ids }: Named): unknown {
  if (!isObject(body)) return body;
  const isNamed = (id: unknown) =>
    id === person_uuid || (typeof id === "string" && distinct_ids.includes(id));
  const { person_id, distinct_id, reason: _, ...rest } = body;
  if (isNamed(person_id) || isNamed(distinct_id)) return rest;
  const lists = ["person_ids", "distinct_ids"].flatMap((field) => {
    const ids = body[field];
    return Array.isArray(ids) && ids.some(isNamed) ? [[field, ids.filter((id) => !isNamed(id))]] : [];
  });
  return lists.length > 0 ? { ...body, ...Object.fromEntries(lists) } : body;
}

/**
 * Change requests that pin a value for somebody, or add people to a list or remove them from it, no longer name who is
 * erased. An open one that was about this person alone cannot be applied then.
 */
export const createEraseFromRequests = (encryptionKey: Buffer): EraseStep => ({
  person: async (tx, erased) => {
    let count = 0;
    for (const { id, calls: sealed, intent_display } of await selectNaming(tx, erased.project_id)) {
      const calls = openCalls(sealed, encryptionKey);
      const bare = calls?.map((call) => ({ ...call, body: withoutPerson(call.body, erased) }));
      const shown = JSON.parse(JSON.stringify(intent_display), (_, value) => withoutPerson(value, erased));
      if (JSON.stringify([calls, intent_display]) === JSON.stringify([bare, shown])) continue;
      count += 1;
      await updateRequest(tx, id, {
        ...(bare && { calls: sealCalls(bare, encryptionKey) }),
        intent_display: shown,
      });
    }
    return { change_requests: count };
  },
});
