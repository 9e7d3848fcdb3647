import { Bookmark } from "lucide-react";
import { Badge } from "#components/ui/badge.tsx";

/** Marks a metric that other experiments may use, too. */
export const SavedBadge = () => (
  <Badge tone="accent" icon={Bookmark} title="Other experiments may use it, too">
    saved
  </Badge>
);
