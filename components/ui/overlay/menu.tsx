"use client";

import * as Radix from "@radix-ui/react-dropdown-menu";
import { Check, type LucideIcon } from "lucide-react";
import type { Route } from "next";
import Link from "next/link";
import type { ReactNode } from "react";
import { cn } from "#components/ui/cn.ts";
import { Kbd } from "#components/ui/display/kbd.tsx";
import { useLayer } from "./layer.tsx";

/**
 * The floating box of menus and popovers. It goes at once: while a box fades it still takes the next press as one
 * outside of it, and a second press on its own button would open nothing.
 */
export const popClass =
  "z-50 overflow-hidden rounded-lg bg-raised text-ink shadow-pop data-[state=open]:animate-pop-in";

const row =
  "flex w-full cursor-default select-none items-center gap-2 rounded-sm px-2 py-1.5 text-sm outline-none data-disabled:opacity-50 data-highlighted:bg-hover [&>svg]:size-4 [&>svg]:shrink-0 [&>svg]:text-faint";

type MenuProps = {
  /** One focusable element that takes a ref. */
  trigger: ReactNode;
  children: ReactNode;
  align?: "start" | "center" | "end";
  side?: "top" | "right" | "bottom" | "left";
  className?: string;
  open?: boolean;
  onOpenChange?: (open: boolean) => void;
};

export function Menu({ trigger, children, align = "end", side = "bottom", className, ...state }: MenuProps) {
  return (
    // Not modal: the page stays readable to everyone while a menu is open.
    <Radix.Root modal={false} {...state}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal container={useLayer()}>
        <Radix.Content
          align={align}
          side={side}
          sideOffset={4}
          collisionPadding={8}
          className={cn(
            popClass,
            "max-h-(--radix-dropdown-menu-content-available-height) min-w-44 max-w-80 overflow-y-auto p-1",
            className,
          )}
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

type MenuItemProps = {
  icon?: LucideIcon;
  onSelect?: () => void;
  danger?: boolean;
  disabled?: boolean;
  keys?: string;
  /** Why it is disabled, or more words: a second line. */
  description?: ReactNode;
  children: ReactNode;
};

export function MenuItem({ icon: Icon, danger, keys, description, children, ...props }: MenuItemProps) {
  return (
    <Radix.Item
      {...props}
      className={cn(row, danger && "text-danger-text data-highlighted:bg-danger-soft [&>svg]:text-current")}
    >
      {Icon ? <Icon aria-hidden="true" /> : null}
      <span className="flex min-w-0 flex-1 flex-col">
        <span className="truncate">{children}</span>
        {description ? <span className="text-faint text-xs">{description}</span> : null}
      </span>
      {keys ? <Kbd keys={keys} className="ml-4" /> : null}
    </Radix.Item>
  );
}

type MenuLinkProps = {
  href: Route;
  icon?: LucideIcon;
  current?: boolean;
  children: ReactNode;
};

export function MenuLink({ href, icon: Icon, current, children }: MenuLinkProps) {
  return (
    <Radix.Item asChild className={row}>
      <Link href={href} aria-current={current ? "true" : undefined}>
        {Icon ? <Icon aria-hidden="true" /> : null}
        <span className="min-w-0 flex-1 truncate">{children}</span>
        {current ? <Check aria-hidden="true" className="text-accent-text!" /> : null}
      </Link>
    </Radix.Item>
  );
}

type MenuRadiosProps<V extends string> = {
  value: V;
  onValueChange: (value: V) => void;
  label: string;
  options: readonly { value: V; label: string; icon?: LucideIcon }[];
};

/** One of several, inside a menu. */
export function MenuRadios<V extends string>({ value, onValueChange, label, options }: MenuRadiosProps<V>) {
  return (
    <Radix.RadioGroup value={value} onValueChange={(next) => onValueChange(next as V)} aria-label={label}>
      {options.map(({ icon: Icon, ...option }) => (
        <Radix.RadioItem key={option.value} value={option.value} className={row}>
          {Icon ? <Icon aria-hidden="true" /> : null}
          <span className="min-w-0 flex-1 truncate">{option.label}</span>
          <Radix.ItemIndicator className="text-accent-text">
            <Check aria-hidden="true" className="size-4" />
          </Radix.ItemIndicator>
        </Radix.RadioItem>
      ))}
    </Radix.RadioGroup>
  );
}

export function MenuLabel({ children }: { children: ReactNode }) {
  return <Radix.Label className="px-2 pt-1.5 pb-1 font-medium text-2xs text-faint">{children}</Radix.Label>;
}

export function MenuSeparator() {
  return <Radix.Separator className="-mx-1 my-1 h-px bg-line" />;
}
