import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";

type Option = { value: string; label: string; disabled?: boolean };

type ListboxOptions<V extends string> = {
  value: V | undefined;
  onValueChange: (value: V) => void;
  options: readonly (Option & { value: V })[];
};

export type Listbox = ReturnType<typeof useListbox>;

const TYPEAHEAD_MS = 700;

/** The keys and the highlight of a button that opens a list, after the ARIA pattern of a select-only combobox. */
export function useListbox<V extends string>({ value, onValueChange, options }: ListboxOptions<V>) {
  const id = useId();
  const [open, setOpen] = useState(false);
  const [active, setActive] = useState(-1);
  const button = useRef<HTMLButtonElement>(null);
  const typed = useRef({ text: "", at: 0 });
  const idOf = (index: number) => `${id}-${index}`;

  useEffect(() => {
    if (open && active >= 0) document.getElementById(`${id}-${active}`)?.scrollIntoView({ block: "nearest" });
  }, [id, open, active]);

  const usable = options.flatMap((option, index) => (option.disabled ? [] : [index]));
  const chosenIndex = options.findIndex((option) => option.value === value);

  function show(at = chosenIndex >= 0 ? chosenIndex : (usable[0] ?? -1)) {
    setActive(at);
    setOpen(true);
  }
  function pick(index: number) {
    const option = options[index];
    if (!option || option.disabled) return;
    setOpen(false);
    if (option.value !== value) onValueChange(option.value);
  }
  function step(by: number) {
    if (!open) return show();
    const at = usable.indexOf(active);
    setActive(usable[Math.min(usable.length - 1, Math.max(0, at + by))] ?? -1);
  }
  function typeahead(key: string, now: number) {
    const before = now - typed.current.at < TYPEAHEAD_MS ? typed.current.text : "";
    typed.current = { text: before + key.toLowerCase(), at: now };
    const found = usable.find((index) => options[index]?.label.toLowerCase().startsWith(typed.current.text));
    if (found === undefined) return;
    if (open) setActive(found);
    else show(found);
  }
  /** Whether the key meant something here. */
  function press(key: string, at: number): boolean {
    const spells = at - typed.current.at < TYPEAHEAD_MS;
    if (key === "ArrowDown") step(1);
    else if (key === "ArrowUp") step(-1);
    else if (key === "Home") show(usable[0]);
    else if (key === "End") show(usable.at(-1));
    else if (key === "Enter" || (key === " " && !spells)) open ? pick(active) : show();
    else if (key === "Escape" && open) setOpen(false);
    else if (key.length === 1) typeahead(key, at);
    else return false;
    return true;
  }
  function onKeyDown(event: KeyboardEvent) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Tab" && open) pick(active);
    if (!press(event.key, event.timeStamp)) return;
    event.preventDefault();
    // A dialog around it does not see the Escape that only closes the list.
    event.stopPropagation();
  }

  return {
    id,
    open,
    button,
    setOpen,
    activeId: open && active >= 0 ? idOf(active) : undefined,
    toggle: () => (open ? setOpen(false) : show()),
    onKeyDown,
    /** The press on the button that closes the list must not open it again. */
    ignoreButton(event: { target: EventTarget | null; preventDefault: () => void }) {
      if (event.target instanceof Node && button.current?.contains(event.target)) event.preventDefault();
    },
    item: (index: number) => ({
      id: idOf(index),
      active: index === active,
      onPick: () => pick(index),
      onPoint: () => setActive(index),
    }),
  };
}
