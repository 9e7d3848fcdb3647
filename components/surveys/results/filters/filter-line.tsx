import { Sentence } from "#components/conditions/sentence.tsx";
import { OpenLink } from "#components/surveys/results/open-link.tsx";
import { RelativeTime } from "#components/ui/display/relative-time.tsx";
import { formatCount, plural } from "#lib/platform/format.ts";
import type { SurveyResults } from "#lib/surveys/results/schema.ts";
import type { FilterPart } from "./filter-words.ts";
import type { Links } from "./results-query.ts";

type Props = { results: SurveyResults; parts: readonly FilterPart[]; links: Links };

/** The responses that the figures are based on: their number, the filter in words, and the time. */
export function FilterLine({ results, parts, links }: Props) {
  const { matched, total, archived } = results;
  const rows = results.funnel.find(({ step }) => step === "answered")?.rows ?? {};
  return (
    <p
      role="status"
      className="flex flex-wrap items-baseline gap-x-3 gap-y-0.5 text-muted text-sm"
      data-testid="filter-line"
    >
      <span className="min-w-0">
        <OpenLink href={links.open(rows, "Responses")} className="font-semibold text-ink">
          {parts.length > 0
            ? `${formatCount(matched)} of ${plural(total, "response")}`
            : plural(matched, "response")}
        </OpenLink>
        {parts.map((part, place) => (
          <span key={part.key}>
            {place > 0 ? ", and " : " "}
            {part.key.startsWith("people") && place === firstOf(parts, "people") ? "by people whose " : ""}
            {part.key.startsWith("answer") && place === firstOf(parts, "answer") ? "where " : ""}
            {part.key.startsWith("field") && place === firstOf(parts, "field")
              ? "where the hidden field "
              : ""}
            <Sentence tokens={part.tokens} />
          </span>
        ))}
        {parts.length === 0 ? " in total, no filters" : ""}
      </span>
      <span className="text-faint text-xs">
        as of <RelativeTime date={results.as_of} />
        {archived.count > 0 ? (
          <>
            {" · "}
            <OpenLink
              href={links.open(archived.rows, "Archived responses")}
            >{`${formatCount(archived.count)} archived`}</OpenLink>
            {", excluded from figures"}
          </>
        ) : null}
      </span>
    </p>
  );
}

const firstOf = (parts: readonly FilterPart[], kind: string) =>
  parts.findIndex(({ key }) => key.startsWith(kind));
