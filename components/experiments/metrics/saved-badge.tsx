import { Bookmark } from "lucide-react";
import { Badge } from "#components/ui/display/badge.tsx";

/** Marks a saved metric. */
export const SavedBadge = () => (
  <Badge tone="accent" icon={Bookmark} title="Other experiments can use it too">
    saved
  </Badge>
);
