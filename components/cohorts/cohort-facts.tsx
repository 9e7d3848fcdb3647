import type { Route } from "next";
import { Sentence } from "#components/conditions/sentence.tsx";
import { Card, Facts } from "#components/ui/display/card.tsx";
import { RelativeTime } from "#components/ui/display/relative-time.tsx";
import { TextLink } from "#components/ui/text-link.tsx";
import type { CohortRecord } from "#lib/people/cohorts/schema.ts";
import { cohortTokens } from "#lib/people/cohorts/words.ts";
import type { Names } from "#lib/people/conditions/words.ts";
import { MemberCount } from "./cohort-table.tsx";

type CohortUsers = {
  /** null where the key may not read flags. */
  flags: { id: number; key: string; active: boolean }[] | null;
  cohorts: { id: number; name: string }[];
};

type Props = { projectId: string; cohort: CohortRecord; names: Names; users: CohortUsers };

/** The definition of a cohort in words, and what uses it. */
export function CohortFacts({ projectId, cohort, names, users }: Props) {
  const by = cohort.created_by;
  return (
    <div className="mb-5 grid items-start gap-5 lg:grid-cols-[minmax(0,1fr)_22rem]">
      <Card title="Definition">
        <p className="mb-4 text-muted text-sm">
          {cohort.is_static ? (
            "A fixed list of people. Nobody joins or leaves automatically."
          ) : (
            <>
              People where <Sentence tokens={cohortTokens(cohort.filters, names)} />.
            </>
          )}
        </p>
        <Facts
          items={[
            { term: "Members", value: <MemberCount cohort={cohort} /> },
            {
              term: "Counted",
              value: cohort.last_calculation ? (
                <RelativeTime date={cohort.last_calculation} />
              ) : (
                <span className="text-muted">Not yet</span>
              ),
            },
            {
              term: "Created",
              value: (
                <>
                  <RelativeTime date={cohort.created_at} />
                  {by ? ` by ${`${by.first_name} ${by.last_name}`.trim() || by.email}` : ""}
                </>
              ),
            },
          ]}
        />
      </Card>
      <UsedBy projectId={projectId} users={users} />
    </div>
  );
}

function UsedBy({ projectId, users }: Pick<Props, "projectId" | "users">) {
  const { flags, cohorts } = users;
  const none = flags?.length === 0 && cohorts.length === 0;
  return (
    <Card title="Used by">
      {flags === null ? (
        <p className="text-muted text-sm">
          Your API key cannot read flags (feature_flag:read), so flags that use this cohort are not listed.
        </p>
      ) : null}
      {none ? <p className="text-muted text-sm">No flag or other cohort uses it.</p> : null}
      <ul className="flex max-h-60 flex-col gap-1.5 overflow-y-auto text-sm scroll-thin">
        {(flags ?? []).map((flag) => (
          <li key={flag.id} className="flex items-baseline justify-between gap-3">
            <TextLink
              href={`/project/${projectId}/feature_flags/${flag.id}` as Route}
              className="min-w-0 break-all"
            >
              {flag.key}
            </TextLink>
            <span className="shrink-0 text-faint text-xs">flag, {flag.active ? "on" : "off"}</span>
          </li>
        ))}
        {cohorts.map((other) => (
          <li key={other.id} className="flex items-baseline justify-between gap-3">
            <TextLink
              href={`/project/${projectId}/cohorts/${other.id}` as Route}
              className="min-w-0 break-words"
            >
              {other.name}
            </TextLink>
            <span className="shrink-0 text-faint text-xs">cohort</span>
          </li>
        ))}
      </ul>
    </Card>
  );
}
