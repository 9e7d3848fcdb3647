import { ArrowDown, ArrowUp, ChevronsUpDown } from "lucide-react";
import type { Route } from "next";
import type { ComponentProps, ReactNode } from "react";
import { cn } from "#components/ui/cn.ts";
import { Link } from "#components/ui/link.tsx";

// Under 640 px the rows are laid out as cards. A browser may drop a table's meaning together with its
// display, so the roles are written down.
const roles = {
  table: { role: "table" },
  group: { role: "rowgroup" },
  row: { role: "row" },
  head: { role: "columnheader" },
  cell: { role: "cell" },
} as const;

type TableProps = ComponentProps<"table"> & {
  /** What the table shows; read out before it. */
  caption: string;
  /** Distance of the sticky header from the top of the window, as a Tailwind class. */
  stickyTop?: string;
  /** `false` inside a card or dialog that draws its own border. */
  framed?: boolean;
  /** Smallest width before it scrolls sideways, as a Tailwind class. */
  minWidth?: string;
};

/** A dense table with a sticky header. Wrap it in `RowKeys` for j/k. */
export function Table({
  caption,
  stickyTop = "lg:[&_thead_th]:top-0",
  framed = true,
  minWidth = "sm:min-w-[44rem]",
  className,
  children,
  ...props
}: TableProps) {
  return (
    <div
      className={cn(
        "max-lg:overflow-x-auto scroll-thin",
        framed && "sm:rounded-lg sm:border sm:bg-surface sm:shadow-card",
      )}
    >
      <table
        {...roles.table}
        {...props}
        className={cn(
          "w-full border-separate border-spacing-0 text-left text-sm max-sm:block",
          "sm:[&_tbody_tr:not(:last-child)>*]:border-b",
          minWidth,
          stickyTop,
          className,
        )}
      >
        <caption className="sr-only">{caption}</caption>
        {children}
      </table>
    </div>
  );
}

export function TableHead({ children }: { children: ReactNode }) {
  return (
    <thead {...roles.group} className="max-sm:sr-only">
      <tr {...roles.row}>{children}</tr>
    </thead>
  );
}

type ThProps = ComponentProps<"th"> & {
  align?: "left" | "right";
  /** Makes the header a sort link; give the URL of the next order. */
  sort?: { href: Route; direction: "asc" | "desc" | null };
};

export function Th({ align = "left", sort, className, children, ...props }: ThProps) {
  const order = sort?.direction === "asc" ? "ascending" : sort?.direction === "desc" ? "descending" : "none";
  return (
    <th
      {...roles.head}
      scope="col"
      aria-sort={sort ? order : undefined}
      {...props}
      className={cn(
        "sticky z-10 h-8 whitespace-nowrap border-b bg-sunken px-3 font-medium text-muted text-xs first:rounded-tl-lg last:rounded-tr-lg",
        align === "right" && "text-right",
        className,
      )}
    >
      {sort ? <SortLink {...sort}>{children}</SortLink> : children}
    </th>
  );
}

function SortLink({ href, direction, children }: NonNullable<ThProps["sort"]> & { children: ReactNode }) {
  const Icon = direction === "asc" ? ArrowUp : direction === "desc" ? ArrowDown : ChevronsUpDown;
  return (
    <Link
      href={href}
      scroll={false}
      className={cn(
        "group inline-flex items-center gap-1 rounded-xs hover:text-ink",
        direction && "text-ink",
      )}
    >
      {children}
      <Icon
        aria-hidden="true"
        className={cn(
          "size-3",
          !direction && "opacity-45 group-hover:opacity-100 group-focus-visible:opacity-100",
        )}
      />
    </Link>
  );
}

export function TableBody({ className, ...props }: ComponentProps<"tbody">) {
  return (
    <tbody
      {...roles.group}
      {...props}
      className={cn("max-sm:flex max-sm:flex-col max-sm:gap-2", className)}
    />
  );
}

type TrProps = ComponentProps<"tr"> & { selected?: boolean; dimmed?: boolean };

/** A row. Give one link in it `data-row-link`: j/k stop there, and Enter opens it. */
export function Tr({ selected, dimmed, className, ...props }: TrProps) {
  return (
    <tr
      {...roles.row}
      data-row=""
      aria-selected={selected}
      {...props}
      className={cn(
        "group/row transition-colors duration-75",
        "max-sm:relative max-sm:grid max-sm:grid-cols-[minmax(5.5rem,auto)_minmax(0,1fr)] max-sm:rounded-lg max-sm:border max-sm:bg-surface max-sm:p-3 max-sm:shadow-card",
        "hover:bg-hover/60 has-[[data-row-link]:focus-visible]:bg-hover",
        selected && "bg-accent-soft/70 hover:bg-accent-soft max-sm:border-accent-line",
        dimmed && "text-muted",
        className,
      )}
    />
  );
}

type TdProps = ComponentProps<"td"> & {
  /** The column's name, shown beside the value when rows are cards. Leave out for the title cell. */
  label?: string;
  align?: "left" | "right";
  /** The row's own title (spans the card), or a control in the card's corner. */
  place?: "title" | "corner";
};

export function Td({ label, align = "left", place, className, children, ...props }: TdProps) {
  return (
    <td
      {...roles.cell}
      {...props}
      className={cn(
        "px-3 py-2 align-middle max-sm:col-span-2 max-sm:px-0 max-sm:py-1",
        align === "right" && "sm:text-right",
        label && "max-sm:grid max-sm:grid-cols-subgrid max-sm:items-baseline max-sm:gap-3",
        place === "title" && "max-sm:pr-12 max-sm:pb-1.5",
        place === "corner" && "max-sm:absolute max-sm:top-2.5 max-sm:right-3 max-sm:py-0",
        className,
      )}
    >
      {label ? (
        <>
          <span aria-hidden="true" className="text-faint text-xs sm:hidden">
            {label}
          </span>
          <div className="min-w-0">{children}</div>
        </>
      ) : (
        children
      )}
    </td>
  );
}

/** A row across the whole table: no match, or an error. */
export function TableMessage({ columns, children }: { columns: number; children: ReactNode }) {
  return (
    <tr {...roles.row} className="max-sm:block">
      <td {...roles.cell} colSpan={columns} className="px-3 py-10 text-center text-muted max-sm:block">
        {children}
      </td>
    </tr>
  );
}
