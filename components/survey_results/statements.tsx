import type { Statements as Read } from "#lib/survey_results/schema.ts";
import { OpenLink } from "./open_link.tsx";
import type { Links } from "./results_query.ts";
import { plural, whole } from "./words.ts";

type Props = { read: Read; question: string; links: Links };

/** Statements about answers; each opens the responses that it rests on. */
export function Statements({ read, question, links }: Props) {
  if (read.statements.length === 0)
    return <p className="text-muted text-xs">No theme is shared by two answers yet.</p>;
  return (
    <>
      <ul className="flex flex-col gap-2">
        {read.statements.map((each) => (
          <li
            key={each.text}
            className="flex items-baseline gap-3 border-accent-line border-l-2 pl-3 text-sm"
          >
            <span className="min-w-0 flex-1 text-pretty break-words">{each.text}</span>
            <OpenLink
              href={links.open(each.rows, `${question}: ${each.text}`)}
              label={`Open the ${plural(each.count, "response")} of: ${each.text}`}
              className="shrink-0 text-muted text-xs"
            >
              {plural(each.count, "response")}
            </OpenLink>
          </li>
        ))}
      </ul>
      <p className="mt-2 text-faint text-xs">
        {read.answers < read.most
          ? "Counted from the answers themselves, without any outside model."
          : `Counted from the latest ${whole(read.most)} answers.`}
      </p>
    </>
  );
}
