import type { Route } from "next";
import type { ReactNode } from "react";
import { personName } from "#components/kit/person-name.ts";
import { Status } from "#components/ui/display/badge.tsx";
import { Card, Facts } from "#components/ui/display/card.tsx";
import { RelativeTime } from "#components/ui/display/relative-time.tsx";
import { TextLink } from "#components/ui/text-link.tsx";
import type { flagContract } from "#lib/flags/feature_flags/contract.ts";
import type { FlagRecord } from "#lib/flags/feature_flags/schema.ts";
import type { Answer } from "#lib/platform/http/contract.ts";

type Props = { projectId: string; flag: FlagRecord; dependents: Answer<typeof flagContract.dependents> };

/** Who created and changed the flag, when it was called, and what depends on it. */
export function FlagFacts({ projectId, flag, dependents }: Props) {
  const when = (date: string, by: string | null): ReactNode => (
    <>
      <RelativeTime date={date} />
      {by ? <span className="text-muted"> by {by}</span> : null}
    </>
  );
  const facts = [
    { term: "Created", value: when(flag.created_at, personName(flag.created_by)) },
    { term: "Changed", value: when(flag.updated_at ?? flag.created_at, personName(flag.last_modified_by)) },
    {
      term: "Last called",
      value: flag.last_called_at ? (
        <RelativeTime date={flag.last_called_at} />
      ) : (
        <span className="text-muted">No calls reported by SDKs</span>
      ),
    },
    {
      term: "Experiments",
      value:
        flag.experiment_set.length === 0 ? (
          <span className="text-muted">No experiment uses this flag</span>
        ) : (
          <TextLink href={`/project/${projectId}/experiments?flag=${flag.id}` as Route}>
            {flag.experiment_set.length === 1
              ? "1 experiment uses it"
              : `${flag.experiment_set.length} experiments use it`}
          </TextLink>
        ),
    },
    {
      term: "Surveys",
      value: linked(
        flag.surveys.map((survey) => ({
          href: `/project/${projectId}/surveys/${survey.id}`,
          name: survey.name,
        })),
      ),
    },
    {
      term: "Dependents",
      value:
        dependents.length === 0 ? (
          <span className="text-muted">No other flag depends on it</span>
        ) : (
          <ul className="flex flex-col gap-0.5">
            {dependents.map((each) => (
              <li key={each.id} className="flex flex-wrap items-center gap-x-2">
                <TextLink href={`/project/${projectId}/feature_flags/${each.id}` as Route}>
                  {each.key}
                </TextLink>
                <Status status={each.active ? "active" : "inactive"}>{each.active ? "On" : "Off"}</Status>
              </li>
            ))}
          </ul>
        ),
    },
    { term: "Id", value: <span className="tabular">{flag.id}</span> },
  ];
  return (
    <Card title="About">
      <Facts items={facts} />
    </Card>
  );
}

function linked(links: { href: string; name: string }[]): ReactNode {
  if (links.length === 0) return <span className="text-muted">No survey is linked to it</span>;
  return (
    <ul className="flex flex-col gap-0.5">
      {links.map((link) => (
        <li key={link.href}>
          <TextLink href={link.href as Route}>{link.name}</TextLink>
        </li>
      ))}
    </ul>
  );
}
