import { CheckSquare, CircleDot, Gauge, Link2, type LucideIcon, MessageSquareText } from "lucide-react";
import { KIND_WORDS } from "./status.ts";

/** The kinds of question that respondents' SDKs know, in the order in which they are offered. */
export const KINDS = [
  { value: "open", icon: MessageSquareText, text: "Their own words" },
  { value: "rating", icon: Gauge, text: "Stars, faces, thumbs or 0–10" },
  { value: "single_choice", icon: CircleDot, text: "One of a list" },
  { value: "multiple_choice", icon: CheckSquare, text: "Any of a list" },
  { value: "link", icon: Link2, text: "A notice with a link" },
] as const satisfies readonly { value: string; icon: LucideIcon; text: string }[];

export const kindWord = (type: unknown): string =>
  KIND_WORDS[String(type)] ?? `Unknown kind “${String(type)}”`;

/** The picture of a question's kind. */
export function KindIcon({ type, className }: { type: unknown; className?: string }) {
  const Icon = KINDS.find((kind) => kind.value === type)?.icon ?? MessageSquareText;
  return <Icon aria-hidden="true" className={className} />;
}
