import type { ComponentProps, ReactNode } from "react";
import { Page, PageHeader } from "#components/ui/display/page-header.tsx";
import { FormSkeleton, Skeleton, TableSkeleton } from "#components/ui/display/skeleton.tsx";

type Props = {
  /** Absent on the page of a record, whose name is not known yet. */
  title?: string;
  description?: string;
  width?: ComponentProps<typeof Page>["width"];
  /** Whether there will be a search above the table. */
  search?: boolean;
  table?: { rows: number; columns: number };
  /** Number of fields of a form. */
  fields?: number;
  /** What it will hold, where that is neither a table nor a form. */
  children?: ReactNode;
};

/** A page on its way, in the shape that it will have; for every `loading.tsx`. */
export function LoadingPage({ title, description, width, search, table, fields, children }: Props) {
  return (
    <Page width={width}>
      {title === undefined ? (
        <>
          <Skeleton className="mb-2 h-3 w-20" />
          <Skeleton className="mb-6 h-7 w-72" />
        </>
      ) : (
        <PageHeader title={title} description={description} />
      )}
      {search ? <Skeleton className="mb-3 h-8 w-72 rounded-md" /> : null}
      {table ? <TableSkeleton {...table} /> : null}
      {fields === undefined ? null : <FormSkeleton fields={fields} />}
      {children}
    </Page>
  );
}
