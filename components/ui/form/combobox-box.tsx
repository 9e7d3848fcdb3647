import * as Radix from "@radix-ui/react-popover";
import { Command } from "cmdk";
import { Search } from "lucide-react";
import { cn } from "#components/ui/cn.ts";
import { matching, type Option, OptionList } from "#components/ui/form/option-list.tsx";
import { popClass } from "#components/ui/overlay/boxes.ts";
import { useLayer } from "#components/ui/overlay/layer.tsx";
import { ignoring, type Opener } from "#components/ui/overlay/trigger.tsx";

export type ComboboxProps = {
  value: string | null;
  onValueChange: (value: string) => void;
  options: readonly Option[];
  /**
   * Called with what is typed, for options that a server finds; the list is then shown as given. Without it the
   * options are filtered here.
   */
  onSearch?: (query: string) => void;
  loading?: boolean;
  /** Lets any typed text be the value; the text says how: "Use", "Any property named". */
  freeText?: string;
  placeholder?: string;
  searchPlaceholder?: string;
  empty?: string;
  /** Names it when no `Field` does. */
  label?: string;
  size?: "sm" | "md";
  mono?: boolean;
  disabled?: boolean;
  className?: string;
};

type ComboboxBoxProps = ComboboxProps & {
  opener: Opener;
  open: boolean;
  toggle: (open: boolean) => void;
  query: string;
  search: (query: string) => void;
};

/** The search and the options of a combobox. */
export function ComboboxBox({ opener, open, toggle, query, search, ...props }: ComboboxBoxProps) {
  const { options, value, label = "Options" } = props;
  return (
    <Radix.Root open={open} onOpenChange={toggle}>
      <Radix.Anchor virtualRef={opener.element} />
      <Radix.Portal container={useLayer()}>
        <Radix.Content
          id={`${opener.id}-list`}
          aria-label={label}
          align="start"
          sideOffset={4}
          collisionPadding={8}
          onInteractOutside={ignoring(opener)}
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            opener.element.current?.focus();
          }}
          className={cn(popClass, "w-(--radix-popover-trigger-width) min-w-60 max-w-[calc(100vw-1rem)]")}
        >
          <Command shouldFilter={false} label={label} loop>
            <div className="flex items-center gap-2 border-b px-2.5">
              <Search aria-hidden="true" className="size-3.5 shrink-0 text-faint" />
              <Command.Input
                value={query}
                onValueChange={search}
                placeholder={props.searchPlaceholder ?? (props.freeText ? "Search or type…" : "Search…")}
                className="h-9 w-full min-w-0 bg-transparent text-sm outline-none max-sm:text-touch"
              />
            </div>
            <OptionList
              options={props.onSearch ? options : matching(options, query)}
              query={query}
              chosen={value === null ? [] : [value]}
              onChoose={(next) => {
                props.onValueChange(next);
                toggle(false);
              }}
              freeText={props.freeText}
              loading={props.loading}
              empty={props.empty}
            />
          </Command>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
