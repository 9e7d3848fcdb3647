import { type ClipboardEvent, type KeyboardEvent, useRef, useState } from "react";
import type { Option } from "./option-list.tsx";

export type ChipsInputProps = {
  values: readonly string[];
  onValuesChange: (values: string[]) => void;
  /** Suggestions: values really seen, existing tags. */
  options?: readonly Option[];
  /** What values are called that are not among the options. */
  labels?: ReadonlyMap<string, string>;
  /** For suggestions that a server finds; the list is then shown as given. */
  onSearch?: (query: string) => void;
  loading?: boolean;
  /** `false` allows only the suggested values. A text names the offer: "Create tag". */
  freeText?: string | false;
  placeholder?: string;
  /** Names it when no `Field` does. */
  label?: string;
  mono?: boolean;
  disabled?: boolean;
  className?: string;
};

export type Chips = ReturnType<typeof useChips>;

/** How values are shown. */
export function namesOf({ options = [], labels }: Pick<ChipsInputProps, "options" | "labels">) {
  const offered = new Map(options.map(({ value, label }) => [value, label]));
  return (value: string): string => labels?.get(value) ?? offered.get(value) ?? value;
}

/** What a list of values does when people type, paste, choose and remove. */
export function useChips(props: ChipsInputProps) {
  const { values, onValuesChange, onSearch, freeText = "Add" } = props;
  const nameOf = namesOf(props);
  const [query, setQuery] = useState("");
  const [open, setOpen] = useState(false);
  const [announcement, setAnnouncement] = useState("");
  const input = useRef<HTMLInputElement>(null);
  const [wanted, setWanted] = useState("");
  const moved = useRef(false);

  function search(next: string) {
    moved.current = false;
    setWanted("");
    setQuery(next);
    onSearch?.(next);
  }
  function add(added: string[]) {
    const fresh = added.map((value) => value.trim()).filter((value) => value && !values.includes(value));
    if (fresh.length > 0) {
      onValuesChange([...values, ...new Set(fresh)]);
      setAnnouncement(`${fresh.map(nameOf).join(", ")} added`);
    }
    search("");
  }
  function remove(value: string) {
    onValuesChange(values.filter((each) => each !== value));
    setAnnouncement(`${nameOf(value)} removed`);
    input.current?.focus();
  }
  const takeAway = (value: string | undefined) => value !== undefined && remove(value);

  function onKeyDown(event: KeyboardEvent) {
    if (event.key === "Backspace" && query === "") takeAway(values.at(-1));
    if (/^(Arrow(Up|Down)|Home|End)$/.test(event.key)) moved.current = true;
    if (event.key === "ArrowDown") setOpen(true);
    if (event.key === "," && freeText) {
      event.preventDefault();
      add([query]);
    }
    if (event.key === "Escape" && open) {
      // Only the list closes: a dialog around it stays.
      event.stopPropagation();
      setOpen(false);
    }
    if (event.key === "Enter" && !open) {
      // The form around it is not sent. While the list is open, cmdk chooses from it.
      event.preventDefault();
      if (freeText) add([query]);
    }
  }
  function onPaste(event: ClipboardEvent) {
    const parts = event.clipboardData.getData("text").split(/[\n\t,]+/);
    if (!freeText || parts.length < 2) return;
    event.preventDefault();
    add(parts);
  }
  function type(next: string) {
    search(next);
    setOpen(true);
  }
  const toggle = (value: string) => (values.includes(value) ? remove(value) : add([value]));
  /** cmdk also calls this to highlight the first row by itself; only what the person did counts. */
  const point = (value: string) => {
    if (moved.current) setWanted(value);
  };
  const onPointerMove = () => {
    moved.current = true;
  };
  return {
    query,
    open,
    announcement,
    input,
    wanted,
    point,
    onPointerMove,
    setOpen,
    type,
    toggle,
    remove,
    onKeyDown,
    onPaste,
  };
}
