import { UnreadableNote } from "#components/ui/unreadable.tsx";
import type { FlagRecord } from "#lib/feature_flags/schema.ts";

const PAYLOADS = "filters.payloads";

/** Says on a flag's page that part of its stored targeting cannot be read, and what it does meanwhile. */
export function UnreadableTargeting({ flag }: { flag: FlagRecord }) {
  const { unreadable_fields: fields = [], has_encrypted_payloads } = flag;
  const targeting = fields.filter((field) => field !== PAYLOADS);
  return (
    <>
      <UnreadableNote fields={targeting} noun="flag">
        The flag is off for everyone until you save its targeting again.
      </UnreadableNote>
      <UnreadableNote fields={fields.filter((field) => field === PAYLOADS)} noun="flag">
        {has_encrypted_payloads
          ? "The payload was encrypted with another ENCRYPTION_KEY, so SDKs get a placeholder. Enter the payload again and save, or ask whoever runs this server to put the former key back."
          : undefined}
      </UnreadableNote>
    </>
  );
}
