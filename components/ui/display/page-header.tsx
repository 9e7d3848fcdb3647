import { ChevronRight } from "lucide-react";
import type { Route } from "next";
import type { ReactNode } from "react";
import { cn } from "#components/ui/cn.ts";
import { Link } from "#components/ui/link.tsx";

type Crumb = { label: string; href: Route };

type PageHeaderProps = {
  title: ReactNode;
  /** The way here, without the page itself. */
  crumbs?: readonly Crumb[];
  /** Beside the title: a status or a badge. */
  mark?: ReactNode;
  description?: ReactNode;
  /** Buttons; the main one last. */
  actions?: ReactNode;
  /** `TabLinks`, under the title. */
  tabs?: ReactNode;
};

/** The top of a page: where it is, what it is, what can be done. */
export function PageHeader({ title, crumbs, mark, description, actions, tabs }: PageHeaderProps) {
  return (
    <header className={"mb-5 flex flex-col gap-1"}>
      {crumbs?.length ? <Breadcrumbs crumbs={crumbs} /> : null}
      <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
        <div className="min-w-0 max-w-full">
          <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1">
            <h1 className="min-w-0 break-words font-semibold text-xl">{title}</h1>
            {mark}
          </div>
          {description ? (
            <p className="mt-0.5 max-w-2xl text-pretty text-muted text-sm">{description}</p>
          ) : null}
        </div>
        {actions ? <div className="flex flex-wrap items-center gap-2 print:hidden">{actions}</div> : null}
      </div>
      {tabs ? <div className="mt-2 print:hidden">{tabs}</div> : null}
    </header>
  );
}

function Breadcrumbs({ crumbs }: { crumbs: readonly Crumb[] }) {
  return (
    <nav aria-label="Breadcrumbs">
      <ol className="flex flex-wrap items-center gap-1 text-muted text-xs">
        {crumbs.map((crumb, place) => (
          <li key={crumb.href} className="flex min-w-0 items-center gap-1">
            <Link href={crumb.href} className="-mx-1 truncate rounded-xs px-1 hover:bg-hover hover:text-ink">
              {crumb.label}
            </Link>
            {place < crumbs.length - 1 ? (
              <ChevronRight aria-hidden="true" className="size-3 text-faint" />
            ) : null}
          </li>
        ))}
      </ol>
    </nav>
  );
}

const widths = { full: "max-w-[100rem]", wide: "max-w-6xl", form: "max-w-3xl" };

/** The measure of a page's content. Lists take `full`, details `wide`, settings and forms `form`. */
export function Page({
  width = "full",
  className,
  children,
}: {
  width?: keyof typeof widths;
  className?: string;
  children: ReactNode;
}) {
  return (
    <div className={cn("mx-auto w-full px-4 pt-5 pb-16 sm:px-6 lg:px-8 lg:pt-6", widths[width], className)}>
      {children}
    </div>
  );
}
