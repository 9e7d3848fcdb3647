import { CircleHelp, TrendingDown, TrendingUp } from "lucide-react";
import type { Verdict } from "#lib/engines/statistics/planning/goal.ts";

/** How a verdict is shown wherever there is one. */
export const VERDICT_LOOKS = {
  better: { icon: TrendingUp, tone: "text-success-text", word: "Better" },
  worse: { icon: TrendingDown, tone: "text-danger-text", word: "Worse" },
  leaning_better: { icon: TrendingUp, tone: "text-muted", word: "Leaning better" },
  leaning_worse: { icon: TrendingDown, tone: "text-muted", word: "Leaning worse" },
  unclear: { icon: CircleHelp, tone: "text-muted", word: "No clear difference" },
} as const satisfies Readonly<Record<Verdict, object>>;
