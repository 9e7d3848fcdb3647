import { CheckSquare, CircleDot, Gauge, Link2, type LucideIcon, MessageSquareText } from "lucide-react";
import { KIND_WORDS } from "./status.ts";

/** The question types that SDKs support, in the order of the menu. */
export const KINDS = [
  { value: "open", icon: MessageSquareText, text: "Free text" },
  { value: "rating", icon: Gauge, text: "Numbers, faces or thumbs" },
  { value: "single_choice", icon: CircleDot, text: "One from a list" },
  { value: "multiple_choice", icon: CheckSquare, text: "Any from a list" },
  { value: "link", icon: Link2, text: "A notice with a link" },
] as const satisfies readonly { value: string; icon: LucideIcon; text: string }[];

export const kindWord = (type: unknown): string =>
  KIND_WORDS[String(type)] ?? `Unknown kind “${String(type)}”`;

/** The icon of a question type. */
export function KindIcon({ type, className }: { type: unknown; className?: string }) {
  const Icon = KINDS.find((kind) => kind.value === type)?.icon ?? MessageSquareText;
  return <Icon aria-hidden="true" className={className} />;
}
