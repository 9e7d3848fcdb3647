import { z } from "zod";
import { formatMomentIn } from "#lib/platform/format.ts";

const logged = z.object({
  id: z.string(),
  /** UUID; null: the person was gone already. */
  person_id: z.string().nullable(),
  value: z.union([z.boolean(), z.string()]),
  until: z.string().nullable(),
});

/** What the activity log holds of a pin: of whom it is about, no more than the UUID. */
export type LoggedPin = z.output<typeof logged>;

/** null for what is none. */
export const readLoggedPin = (value: unknown): LoggedPin | null => logged.safeParse(value).data ?? null;

/** What somebody is pinned to, and until when: "test until Tue, 3 Mar 2026, 10:00 UTC". */
export function pinWords({ value, until }: Pick<LoggedPin, "value" | "until">): string {
  const given = value === true ? "on" : value === false ? "off" : value;
  return until === null ? given : `${given} until ${formatMomentIn(Date.parse(until), "UTC")}`;
}
