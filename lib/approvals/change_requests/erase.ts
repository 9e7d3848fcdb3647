import { isObject } from "#lib/engines/json.ts";
import type { EraseStep } from "#lib/people/erasures/step.ts";
import { openCalls, sealCalls } from "./calls.ts";
import { selectPinning, updateRequest } from "./store.ts";

type Named = { person_uuid: string; distinct_ids: readonly string[] };

/** The body of a call that pins a value for somebody, without who and why; other bodies as they are. */
function withoutPerson(body: unknown, { person_uuid, distinct_ids }: Named): unknown {
  if (!isObject(body)) return body;
  const { person_id, distinct_id, reason: _, ...rest } = body;
  const isNamed = typeof distinct_id === "string" && distinct_ids.includes(distinct_id);
  return isNamed || person_id === person_uuid ? rest : body;
}

/** Change requests that pin a value for somebody say no more for whom. One that is still open cannot be applied then. */
export const createErasePinning = (encryptionKey: Buffer): EraseStep => ({
  person: async (tx, erased) => {
    let count = 0;
    for (const { id, calls: sealed, intent_display } of await selectPinning(tx, erased.project_id)) {
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
