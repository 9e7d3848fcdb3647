"use client";

import type { Route } from "next";
import { useRouter } from "next/navigation";
import type { MouseEvent, ReactNode } from "react";
import { goTo } from "#components/charts/go-to.ts";
import { cn } from "#components/ui/cn.ts";

type Props = { href: Route; label?: string; className?: string; children: ReactNode };

/** A figure in the text that opens its rows. */
export function OpenLink({ href, label, className, children }: Props) {
  const router = useRouter();
  const open = (event: MouseEvent) => goTo(event, href, router);
  return (
    <a
      href={href}
      onClick={open}
      aria-label={label}
      className={cn(
        "tabular -mx-2.5 -my-1.5 rounded-xs px-2.5 py-1.5 underline decoration-line-strong decoration-dotted underline-offset-[3px] hover:text-accent-text hover:decoration-current hover:decoration-solid",
        className,
      )}
    >
      {children}
    </a>
  );
}
