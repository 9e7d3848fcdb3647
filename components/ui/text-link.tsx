import { ArrowUpRight } from "lucide-react";
import type { Route } from "next";
import Link from "next/link";
import type { ReactNode } from "react";
import { cn } from "./cn.ts";

const look =
  "rounded-xs text-accent-text underline decoration-accent-line underline-offset-[3px] hover:decoration-current";

/** A link within text. */
export function TextLink({
  href,
  className,
  children,
}: {
  href: Route;
  className?: string;
  children: ReactNode;
}) {
  return (
    <Link href={href} className={cn(look, className)}>
      {children}
    </Link>
  );
}

/** A link to another site; opens a new tab and says so. */
export function ExternalLink({
  href,
  className,
  children,
}: {
  href: string;
  className?: string;
  children: ReactNode;
}) {
  return (
    <a href={href} target="_blank" rel="noreferrer" className={cn(look, className)}>
      {children}
      <ArrowUpRight aria-hidden="true" className="ml-0.5 inline size-3" />
      <span className="sr-only"> (opens a new tab)</span>
    </a>
  );
}
