import { NO_SIBLINGS, type Siblings } from "#lib/platform/siblings.ts";

/** Two siblings that tell each other what they have to tell. */
export function joinedSiblings(): [Siblings, Siblings] {
  const handlers = [
    new Map<string, (payload: unknown) => void>(),
    new Map<string, (payload: unknown) => void>(),
  ];
  const sibling = (own: number): Siblings => ({
    ...NO_SIBLINGS,
    tell: (topic, payload) => handlers[1 - own]?.get(topic)?.(payload),
    onTold: (topic, handler) => handlers[own]?.set(topic, handler),
  });
  return [sibling(0), sibling(1)];
}
