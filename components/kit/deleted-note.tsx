import { formatFullDay } from "#lib/platform/format.ts";

type Days = {
  /** Days that are missing from the list; null: none. */
  days: { from: string; to: string } | null;
};

/** At a list of events: what it lacks for now. */
export function UnreadableNote({ days }: Days) {
  if (!days) return null;
  const [from, to] = [days.from, days.to].map((day) => formatFullDay(Date.parse(day)));
  return (
    <p role="status" className="pb-3 text-sm">
      Old events {from === to ? `of ${from}` : `from ${from} to ${to}`} are missing here: they are in
      ClickHouse, which cannot be read now.
    </p>
  );
}

type Props = {
  /** Up to when events were deleted; null: nothing is said. */
  before: string | null;
  /** Whether the page also shows figures that were counted from them. */
  figures?: boolean;
};

/** Under a list of events: why it begins where it does. */
export function DeletedNote({ before, figures = false }: Props) {
  if (before === null) return null;
  return (
    <p className="pt-3 text-muted text-xs">
      Events before {formatFullDay(Date.parse(before))} were deleted because of their age.
      {figures ? " The figures still count them." : ""}
    </p>
  );
}
