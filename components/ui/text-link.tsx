import type { Route } from "next";
import type { ReactNode } from "react";
import { cn } from "./cn.ts";
import { Link } from "./link.tsx";
import { textLinkClass } from "./text-link-class.ts";

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
    <Link href={href} className={cn(textLinkClass, className)}>
      {children}
    </Link>
  );
}
