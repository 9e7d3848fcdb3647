"use client";

import { ChartLine, Download, FileImage, FileSpreadsheet, Shapes, Table2 } from "lucide-react";
import type { Route } from "next";
import { type ReactNode, type RefCallback, useCallback, useId, useRef, useState } from "react";
import { cn } from "#components/ui/cn.ts";
import { Skeleton } from "#components/ui/display/skeleton.tsx";
import { IconButton } from "#components/ui/icon-button.tsx";
import { Menu, MenuItem } from "#components/ui/overlay/menu.tsx";
import { toast } from "#components/ui/overlay/toaster.tsx";
import { fileName, saveFile } from "#components/ui/save-file.ts";
import { csvOf, type TableData } from "./csv.ts";
import { DataTable } from "./data-table.tsx";
import { moveFocus } from "./roving.ts";

/** Width of an element in whole pixels, followed as it changes; null until it is laid out. */
function useWidth<T extends Element>(): [RefCallback<T>, number | null] {
  const [width, setWidth] = useState<number | null>(null);
  const ref = useCallback((element: T | null) => {
    if (!element) return;
    const observer = new ResizeObserver(([entry]) => {
      if (entry && entry.contentRect.width > 0) setWidth(Math.floor(entry.contentRect.width));
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [ref, width];
}

/** Props common to all charts. */
export type FigureProps = {
  title: string;
  /** What the chart says, in a plain sentence or two: shown below it, read out, written into its files. */
  caption: string;
  /** Level of the heading in its page. */
  level?: 2 | 3 | 4;
  /** Keeps the heading for screen readers and files where the page already shows it. */
  hideTitle?: boolean;
  /** The page's own controls, beside the chart's. */
  actions?: ReactNode;
  className?: string;
};

export type LegendEntry = { key: string; name: string; color: string; mark?: ReactNode };

type FrameProps = FigureProps & {
  table: TableData;
  tableLinks?: (row: number, column: number) => Route | undefined;
  legend?: readonly LegendEntry[];
  /** Kept free before the chart can be measured, so that nothing moves. */
  height: number | ((width: number) => number);
  children: (width: number) => ReactNode;
};

const UNMEASURED = 640;

/** The frame of every chart: heading, chart or table, caption, downloads. */
export function ChartFigure(props: FrameProps) {
  const { title, caption, level = 3, legend = [], height, children } = props;
  const [view, setView] = useState<"chart" | "table">("chart");
  const [ref, width] = useWidth<HTMLDivElement>();
  const plot = useRef<HTMLDivElement>(null);
  const id = useId();
  const Heading = `h${level}` as const;
  const reserved = typeof height === "number" ? height : height(width ?? UNMEASURED);
  return (
    <figure
      aria-labelledby={`${id}-title`}
      aria-describedby={`${id}-caption`}
      className={cn("group/figure flex min-w-0 flex-col gap-2", props.className)}
    >
      <div className="flex min-h-7 flex-wrap items-center justify-between gap-x-3 gap-y-1">
        <Heading
          id={`${id}-title`}
          className={cn("min-w-0 font-semibold text-sm", props.hideTitle && "sr-only")}
        >
          {title}
        </Heading>
        {view === "chart" && legend.length > 0 && props.hideTitle ? <Legend entries={legend} /> : null}
        <div className="ml-auto flex items-center gap-1 print:hidden">
          {props.actions}
          <IconButton
            icon={view === "chart" ? Table2 : ChartLine}
            size="sm"
            label={view === "chart" ? `Show ${title} as a table` : `Show ${title} as a chart`}
            onClick={() => setView(view === "chart" ? "table" : "chart")}
          />
          <Downloads
            title={title}
            caption={caption}
            legend={legend}
            table={props.table}
            drawing={() => plot.current?.querySelector<SVGSVGElement>("svg.recharts-surface") ?? null}
            disabled={view === "table"}
          />
        </div>
      </div>
      {view === "chart" && legend.length > 0 && !props.hideTitle ? <Legend entries={legend} /> : null}
      <div ref={ref} className="min-w-0">
        {view === "table" ? (
          <DataTable data={props.table} links={props.tableLinks} caption={title} />
        ) : (
          // biome-ignore lint/a11y/noStaticElementInteractions: the points inside take the focus
          <div
            ref={plot}
            className="relative print:[&_.recharts-wrapper]:h-auto! print:[&_.recharts-wrapper]:w-full! print:[&_svg]:h-auto! print:[&_svg]:w-full!"
            style={{ minHeight: reserved }}
            onKeyDown={moveFocus}
          >
            {width === null ? <Waiting height={reserved} /> : children(width)}
          </div>
        )}
      </div>
      <figcaption id={`${id}-caption`} className="max-w-[80ch] text-pretty text-muted text-xs">
        {caption}
      </figcaption>
    </figure>
  );
}

/** Placeholder for a chart until its width is known. */
const Waiting = ({ height }: { height: number }) => (
  <div aria-hidden="true" style={{ height }} className="print:hidden">
    <Skeleton className="h-full w-full" />
  </div>
);

function Legend({ entries }: { entries: readonly LegendEntry[] }) {
  return (
    <ul className="flex flex-wrap gap-x-4 gap-y-1 text-muted text-xs">
      {entries.map((entry) => (
        <li key={entry.key} className="flex min-w-0 items-center gap-1.5">
          {entry.mark ?? (
            <span
              aria-hidden="true"
              className="size-2.5 shrink-0 rounded-xs"
              style={{ backgroundColor: entry.color }}
            />
          )}
          <span className="min-w-0 break-words">{entry.name}</span>
        </li>
      ))}
    </ul>
  );
}

type DownloadsProps = Pick<FrameProps, "title" | "caption" | "table"> & {
  legend: readonly LegendEntry[];
  drawing: () => SVGSVGElement | null;
  /** Images need the drawing on the page. */
  disabled: boolean;
};

function Downloads({ title, caption, legend, table, drawing, disabled }: DownloadsProps) {
  const name = fileName(title);
  async function picture(kind: "png" | "svg") {
    const chart = drawing();
    if (!chart) return;
    try {
      const { pictureOf, pngOf, serializeSvg } = await import("./picture.ts");
      const drawn = pictureOf(chart, { title, caption, legend });
      if (kind === "png") saveFile(`${name}.png`, await pngOf(drawn));
      else saveFile(`${name}.svg`, new Blob([serializeSvg(drawn)], { type: "image/svg+xml" }));
    } catch {
      toast.error("The image could not be created.", { description: "You can still download the table." });
    }
  }
  const why = disabled ? "Show the chart first" : undefined;
  return (
    <Menu trigger={<IconButton icon={Download} size="sm" label={`Download ${title}`} />}>
      <MenuItem icon={FileImage} disabled={disabled} description={why} onSelect={() => void picture("png")}>
        Image (PNG)
      </MenuItem>
      <MenuItem icon={Shapes} disabled={disabled} description={why} onSelect={() => void picture("svg")}>
        Vector (SVG)
      </MenuItem>
      <MenuItem
        icon={FileSpreadsheet}
        onSelect={() => saveFile(`${name}.csv`, new Blob([csvOf(table)], { type: "text/csv" }))}
      >
        Table (CSV)
      </MenuItem>
    </Menu>
  );
}
