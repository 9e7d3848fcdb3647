import { UnreadableNote } from "#components/ui/unreadable.tsx";

const PAYLOADS = "filters.payloads";

/** Says on a flag's page that part of its stored targeting cannot be read, and what it does meanwhile. */
export function UnreadableTargeting({ fields = [] }: { fields?: readonly string[] | undefined }) {
  const targeting = fields.filter((field) => field !== PAYLOADS);
  return (
    <>
      <UnreadableNote fields={targeting} noun="flag">
        The flag is off for everyone until you save its targeting again.
      </UnreadableNote>
      <UnreadableNote fields={fields.filter((field) => field === PAYLOADS)} noun="flag" />
    </>
  );
}
