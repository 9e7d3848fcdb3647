import { Sentence } from "#components/feature_flags/sentence.tsx";
import { RelativeTime } from "#components/ui/relative-time.tsx";
import type { SurveyResults } from "#lib/survey_results/schema.ts";
import type { FilterPart } from "./filter_words.ts";
import { OpenLink } from "./open_link.tsx";
import type { Links } from "./results_query.ts";
import { plural, whole } from "./words.ts";

type Props = { results: SurveyResults; parts: readonly FilterPart[]; links: Links };

/** Which responses every figure on the page rests on: how many of how many, the filter in words, as of when. */
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
            ? `${whole(matched)} of ${plural(total, "response")}`
            : plural(matched, "response")}
        </OpenLink>
        {parts.map((part, place) => (
          <span key={part.key}>
            {place > 0 ? ", and " : " "}
            {part.key.startsWith("people") && place === firstOf(parts, "people") ? "by people whose " : ""}
            {part.key.startsWith("answer") && place === firstOf(parts, "answer") ? "where " : ""}
            <Sentence tokens={part.tokens} />
          </span>
        ))}
        {parts.length === 0 ? " in all: nothing is filtered" : ""}
      </span>
      <span className="text-faint text-xs">
        as of <RelativeTime date={results.as_of} />
        {archived.count > 0 ? (
          <>
            {" · "}
            <OpenLink
              href={links.open(archived.rows, "Archived responses")}
            >{`${whole(archived.count)} archived`}</OpenLink>
            {", in no figure"}
          </>
        ) : null}
      </span>
    </p>
  );
}

const firstOf = (parts: readonly FilterPart[], kind: string) =>
  parts.findIndex(({ key }) => key.startsWith(kind));
