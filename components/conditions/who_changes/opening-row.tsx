import { ChevronDown } from "lucide-react";
import { type ReactNode, useId, useState } from "react";
import { cn } from "#components/ui/cn.ts";

type Props = {
  /** What is counted, with its figures. */
  children: ReactNode;
  /** Who is behind it; made once it is opened. */
  people: () => ReactNode;
};

/** A count that opens the people (or groups) behind it. */
export function OpeningRow({ children, people }: Props) {
  const [open, setOpen] = useState(false);
  const id = useId();
  return (
    <li>
      <button
        type="button"
        aria-expanded={open}
        aria-controls={id}
        onClick={() => setOpen(!open)}
        className="flex w-full flex-wrap items-center gap-x-2 gap-y-1 px-3 py-2 text-left hover:bg-hover"
      >
        {children}
        <ChevronDown
          aria-hidden="true"
          className={cn("size-4 shrink-0 text-faint transition-transform", open && "rotate-180")}
        />
      </button>
      <div id={id} hidden={!open}>
        {open ? people() : null}
      </div>
    </li>
  );
}
