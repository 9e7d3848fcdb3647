import { LoaderCircle } from "lucide-react";
import { cn } from "#components/ui/cn.ts";

/** A wait inside a control that was just pressed. For content on its way, use `Skeleton`. */
export function Spinner({ className }: { className?: string }) {
  return <LoaderCircle aria-hidden="true" className={cn("size-4 animate-spin", className)} />;
}
