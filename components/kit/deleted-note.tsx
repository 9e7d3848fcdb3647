import { formatFullDay } from "#lib/platform/format.ts";

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
