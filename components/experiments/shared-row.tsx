import { Pencil, Trash2 } from "lucide-react";
import type { Route } from "next";
import type { ReactNode } from "react";
import { RelativeTime } from "#components/ui/display/relative-time.tsx";
import { Table, TableBody, TableHead, Td, Th, Tr } from "#components/ui/display/table.tsx";
import { IconButton } from "#components/ui/icon-button.tsx";
import { Link } from "#components/ui/link.tsx";
import { RowKeys } from "#components/ui/row-keys.tsx";

type TableProps = {
  caption: string;
  /** One of them, in a word. */
  noun: string;
  /** What it is called in the header, and what the column of `about` is. */
  columns: readonly [string, string];
  minWidth: string;
  /** `SharedRow`s. */
  children: ReactNode;
};

/** A list of what several experiments share. */
export function SharedTable({ caption, noun, columns, minWidth, children }: TableProps) {
  return (
    <RowKeys noun={noun}>
      <Table caption={caption} minWidth={minWidth}>
        <TableHead>
          {[...columns, "Used by", "Changed"].map((column) => (
            <Th key={column}>{column}</Th>
          ))}
          <Th>
            <span className="sr-only">Actions</span>
          </Th>
        </TableHead>
        <TableBody>{children}</TableBody>
      </Table>
    </RowKeys>
  );
}

type RowProps = {
  name: string;
  /** Its page; without one, the name opens the editor. */
  href?: Route;
  description: string | null | undefined;
  /** Its own column, with the column's name. */
  about: { label: string; content: ReactNode };
  usedBy: ReactNode;
  updatedAt: string;
  /** null: it cannot be edited. */
  onEdit: (() => void) | null;
  /** null: it cannot be deleted. */
  onDelete: (() => void) | null;
};

const title =
  "-mx-1 break-words rounded-xs px-1 text-left font-medium hover:text-accent-text hover:underline hover:underline-offset-[3px]";

/** What it is, which experiments use it, when it changed, and what can be done with it. */
export function SharedRow({ name, href, description, about, usedBy, updatedAt, ...act }: RowProps) {
  const { onEdit, onDelete } = act;
  return (
    <Tr>
      <Td place="title" className="sm:w-64">
        {href ? (
          <Link href={href} data-row-link="" className={title}>
            {name}
          </Link>
        ) : onEdit ? (
          <button type="button" data-row-link="" onClick={onEdit} className={title}>
            {name}
          </button>
        ) : (
          <span className="break-words font-medium">{name}</span>
        )}
        {description ? <p className="line-clamp-3 break-words text-muted text-xs">{description}</p> : null}
      </Td>
      <Td label={about.label} className="tabular text-xs">
        {about.content}
      </Td>
      <Td label="Used by" className="text-xs sm:w-80">
        <div className="min-w-0">{usedBy}</div>
      </Td>
      <Td label="Changed" className="whitespace-nowrap text-muted text-xs">
        <RelativeTime date={updatedAt} />
      </Td>
      <Td place="corner" align="right" className="pl-0 sm:w-20">
        <span className="flex justify-end">
          {onEdit ? <IconButton icon={Pencil} size="sm" label={`Edit ${name}`} onClick={onEdit} /> : null}
          {onDelete ? (
            <IconButton icon={Trash2} size="sm" label={`Delete ${name}`} onClick={onDelete} />
          ) : null}
        </span>
      </Td>
    </Tr>
  );
}
