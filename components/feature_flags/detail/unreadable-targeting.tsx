import { UnreadableNote } from "#components/ui/display/unreadable.tsx";
import type { FlagRecord } from "#lib/flags/feature_flags/schema.ts";

const PAYLOADS = "filters.payloads";

/** Warns that part of a flag's stored targeting cannot be read, and says how it behaves until then. */
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
          ? "The payload was encrypted with another ENCRYPTION_KEY, so SDKs get a placeholder. Enter the payload again and save, or ask your server administrator to restore the previous key."
          : undefined}
      </UnreadableNote>
    </>
  );
}
