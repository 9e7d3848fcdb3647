import type { z } from "zod";
import type { surveySummary } from "#lib/surveys/figures_schema.ts";
import { OpenLink } from "./open_link.tsx";
import type { Links, Rows } from "./results_query.ts";
import { plural } from "./words.ts";

type Statement = z.output<typeof surveySummary>["statements"][number] & { rows?: Rows };

type Props = { statements: readonly Statement[]; question: string; links: Links };

/** The rows of a statement: by the parameters that come with it, or by the responses themselves. */
const rowsOf = (statement: Statement): Rows => statement.rows ?? { ids: statement.response_ids.join(",") };

/** Statements about answers; each opens the responses that it rests on. */
export function Statements({ statements, question, links }: Props) {
  if (statements.length === 0)
    return <p className="text-muted text-xs">No theme is shared by two answers yet.</p>;
  return (
    <ul className="flex flex-col gap-2">
      {statements.map((each) => (
        <li key={each.text} className="flex items-baseline gap-3 border-accent-line border-l-2 pl-3 text-sm">
          <span className="min-w-0 flex-1 text-pretty break-words">{each.text}</span>
          <OpenLink
            href={links.open(rowsOf(each), `${question}: ${each.text}`)}
            label={`Open the ${plural(each.count, "response")} of: ${each.text}`}
            className="shrink-0 text-muted text-xs"
          >
            {plural(each.count, "response")}
          </OpenLink>
        </li>
      ))}
    </ul>
  );
}
