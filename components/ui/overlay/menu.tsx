"use client";

import { Check, type LucideIcon } from "lucide-react";
import type { Route } from "next";
import type { ReactNode } from "react";
import { cn } from "#components/ui/cn.ts";
import { Kbd } from "#components/ui/display/kbd.tsx";
import { Link } from "#components/ui/link.tsx";
import { useParts } from "#components/ui/use-parts.ts";
import type { MenuProps } from "./parts/menu-box.tsx";
import { useMenuParts } from "./parts/menu-context.ts";
import { Opening, useOpen, useOpener } from "./trigger.tsx";

const row =
  "flex w-full cursor-default select-none items-center gap-2 rounded-sm px-2 py-1.5 text-sm outline-none data-disabled:opacity-50 data-highlighted:bg-hover [&>svg]:size-4 [&>svg]:shrink-0 [&>svg]:text-faint";

export function Menu({ trigger, ...props }: MenuProps) {
  const [open, setOpen] = useOpen(props);
  const opener = useOpener();
  const parts = useParts(open);
  return (
    <>
      <Opening opener={opener} kind="menu" open={open} setOpen={setOpen}>
        {trigger}
      </Opening>
      {parts ? <parts.MenuBox {...props} opener={opener} open={open} onOpenChange={setOpen} /> : null}
    </>
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
  const { Item } = useMenuParts();
  return (
    <Item
      {...props}
      className={cn(row, danger && "text-danger-text data-highlighted:bg-danger-soft [&>svg]:text-current")}
    >
      {Icon ? <Icon aria-hidden="true" /> : null}
      <span className="flex min-w-0 flex-1 flex-col">
        <span className="truncate">{children}</span>
        {description ? <span className="text-faint text-xs">{description}</span> : null}
      </span>
      {keys ? <Kbd keys={keys} className="ml-4" /> : null}
    </Item>
  );
}

type MenuLinkProps = {
  href: Route;
  icon?: LucideIcon;
  current?: boolean;
  children: ReactNode;
};

export function MenuLink({ href, icon: Icon, current, children }: MenuLinkProps) {
  const { Item } = useMenuParts();
  return (
    <Item asChild className={row}>
      <Link href={href} aria-current={current ? "true" : undefined}>
        {Icon ? <Icon aria-hidden="true" /> : null}
        <span className="min-w-0 flex-1 truncate">{children}</span>
        {current ? <Check aria-hidden="true" className="text-accent-text!" /> : null}
      </Link>
    </Item>
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
  const { RadioGroup, RadioItem, ItemIndicator } = useMenuParts();
  return (
    <RadioGroup value={value} onValueChange={(next) => onValueChange(next as V)} aria-label={label}>
      {options.map(({ icon: Icon, ...option }) => (
        <RadioItem key={option.value} value={option.value} className={row}>
          {Icon ? <Icon aria-hidden="true" /> : null}
          <span className="min-w-0 flex-1 truncate">{option.label}</span>
          <ItemIndicator className="text-accent-text">
            <Check aria-hidden="true" className="size-4" />
          </ItemIndicator>
        </RadioItem>
      ))}
    </RadioGroup>
  );
}

export function MenuLabel({ children }: { children: ReactNode }) {
  const { Label } = useMenuParts();
  return <Label className="px-2 pt-1.5 pb-1 font-medium text-2xs text-faint">{children}</Label>;
}

export function MenuSeparator() {
  const { Separator } = useMenuParts();
  return <Separator className="-mx-1 my-1 h-px bg-line" />;
}
