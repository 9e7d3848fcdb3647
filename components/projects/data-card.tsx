import type { Route } from "next";
import type { ReactNode } from "react";
import { Card, Facts } from "#components/ui/display/card.tsx";
import { RelativeTime } from "#components/ui/display/relative-time.tsx";
import { TextLink } from "#components/ui/text-link.tsx";
import { formatCount } from "#lib/platform/format.ts";

type Props = {
  projectId: string;
  holdings: {
    flags: number | null;
    cohorts: number | null;
    people: { count: number; count_is_exact: boolean } | null;
    last_event: { at: string | null } | null;
  };
  created_at: string;
  /** Where the API is; null for this Switchyard's own. */
  base: string | null;
};

const hidden = <span className="text-muted">Your API key cannot read it</span>;

/** What a project holds; every figure leads to what was counted. */
export function DataCard({ projectId, holdings, created_at, base }: Props) {
  const counted = (
    count: number | null,
    path: string,
    one: string,
    many: string,
    more: "" | "+" = "",
  ): ReactNode =>
    count === null ? (
      hidden
    ) : (
      <TextLink href={`/project/${projectId}/${path}` as Route} className="tabular">
        {`${formatCount(count)}${more} ${count === 1 ? one : many}`}
      </TextLink>
    );
  return (
    <Card title="Data">
      <Facts
        items={[
          { term: "Feature flags", value: counted(holdings.flags, "feature_flags", "flag", "flags") },
          {
            term: "People",
            value: counted(
              holdings.people?.count ?? null,
              "persons",
              "person",
              "people",
              holdings.people?.count_is_exact === false ? "+" : "",
            ),
          },
          { term: "Cohorts", value: counted(holdings.cohorts, "cohorts", "cohort", "cohorts") },
          {
            term: "Latest event",
            value:
              holdings.last_event === null ? (
                hidden
              ) : holdings.last_event.at ? (
                <RelativeTime date={holdings.last_event.at} />
              ) : (
                <span className="text-muted">None received yet</span>
              ),
          },
          { term: "Project created", value: <RelativeTime date={created_at} /> },
          { term: "API", value: base ?? "This server" },
        ]}
      />
    </Card>
  );
}
