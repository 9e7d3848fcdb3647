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
