import { TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { Badge } from "./badge.tsx";
import { Callout } from "./callout.tsx";

/** Marks the row of a record of which a stored value cannot be read. */
export function UnreadableBadge({ fields }: { fields: readonly string[] | undefined }) {
  if (!fields?.length) return null;
  return (
    <Badge tone="warning" icon={TriangleAlert} title={fields.join(", ")} className="w-fit">
      Unreadable data
    </Badge>
  );
}

type NoteProps = {
  fields: readonly string[] | undefined;
  /** What the record is: "survey". */
  noun: string;
  /** What that means for the people who use it, and how to repair it. */
  children?: ReactNode;
};

/** Says on the page of a record that a stored value of it cannot be read. */
export function UnreadableNote({ fields, noun, children }: NoteProps) {
  if (!fields?.length) return null;
  return (
    <Callout tone="warning" className="mb-4" title={`Some stored data of this ${noun} cannot be read`}>
      <p>
        Affected: <code className="break-words font-mono text-xs">{fields.join(", ")}</code>.{" "}
        {children ?? "It is shown as empty and stays unchanged until you save a new value."}
      </p>
    </Callout>
  );
}
