import { ChevronRight } from "lucide-react";
import type { Links } from "#components/surveys/results/filters/results-query.ts";
import { plural } from "#lib/platform/format.ts";
import type { Statements as Read } from "#lib/surveys/results/readings-schema.ts";
import { OpenLink } from "./open-link.tsx";

type Props = { read: Read; question: string; links: Links };

/** Statements about answers; each opens its responses, some with typical answers. */
export function Statements({ read, question, links }: Props) {
  if (read.statements.length === 0)
    return <p className="text-muted text-xs">Nothing to summarise within this filter.</p>;
  const rest = read.statements.slice(SHOWN);
  const worded = read.statements.some((each) => each.worded);
  const how = worded
    ? "Counted here; a model worded some of it."
    : "Counted from the answers, without an external model.";
  return (
    <>
      <List statements={read.statements.slice(0, SHOWN)} question={question} links={links} />
      {rest.length > 0 ? (
        <details className="group/more mt-2.5">
          <summary className="inline-flex min-h-6 items-center gap-1 rounded-xs text-accent-text text-xs hover:underline [&::-webkit-details-marker]:hidden">
            <ChevronRight
              aria-hidden="true"
              className="size-3.5 transition-transform group-open/more:rotate-90"
            />
            {plural(rest.length, "more statement")}
          </summary>
          <div className="mt-2">
            <List statements={rest} question={question} links={links} />
          </div>
        </details>
      ) : null}
      <p className="mt-2.5 text-faint text-xs">{[how, ...read.notes].join(" ")}</p>
    </>
  );
}

function List({ statements, ...shared }: Omit<Props, "read"> & Pick<Read, "statements">) {
  return (
    <ul className="flex flex-col gap-2.5">
      {statements.map((each) => (
        <Statement key={each.text} statement={each} {...shared} />
      ))}
    </ul>
  );
}

/** The rest is collapsed, so that answers stay next to their summary. */
const SHOWN = 6;
const QUOTES = 2;

type StatementProps = { statement: Read["statements"][number]; question: string; links: Links };

function Statement({ statement, question, links }: StatementProps) {
  const { kind, text, count, rows, quotes, worded } = statement;
  return (
    <li className="border-accent-line border-l-2 pl-3 text-sm">
      <div className="flex items-baseline gap-4">
        <span className="min-w-0 flex-1 text-pretty break-words">
          {text}
          {worded ? <span className="ml-1.5 text-faint text-xs">worded by a model</span> : null}
        </span>
        <OpenLink
          href={links.open(rows, `${question}: ${text}`)}
          label={`Open the ${plural(count, "response")} of: ${text}`}
          className="shrink-0 text-muted text-xs"
        >
          {plural(count, "response")}
        </OpenLink>
      </div>
      {kind === "theme" && quotes.length > 0 ? (
        <ul className="mt-0.5 flex flex-col text-muted text-xs">
          {quotes.slice(0, QUOTES).map((quote) => (
            <li key={quote.response_id} className="truncate">
              “{quote.text}”
            </li>
          ))}
        </ul>
      ) : null}
    </li>
  );
}
