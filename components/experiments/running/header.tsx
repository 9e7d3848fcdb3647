import type { Route } from "next";
import type { ExperimentActions } from "#app/project/[project_id]/experiments/experiment-actions.ts";
import { CONCLUSION_TONES, conclusionWord, shownStatus } from "#components/experiments/status.ts";
import { type Access, ReadOnlyNote } from "#components/kit/access.tsx";
import { Badge, Status } from "#components/ui/display/badge.tsx";
import { PageHeader } from "#components/ui/display/page-header.tsx";
import { RelativeTime } from "#components/ui/display/relative-time.tsx";
import { UnreadableNote } from "#components/ui/display/unreadable.tsx";
import { TabLinks } from "#components/ui/tab-links.tsx";
import { TextLink } from "#components/ui/text-link.tsx";
import type { ExperimentRecord } from "#lib/experiments/experiments/schema.ts";
import { HeaderActions } from "./header-actions.tsx";

type Props = {
  projectId: string;
  experiment: ExperimentRecord;
  current: "results" | "setup" | "history";
  access: Access;
  actions: ExperimentActions;
};

/** The header of an experiment's pages: name, status and actions. */
export function ExperimentHeader({ projectId, experiment, current, access, actions }: Props) {
  const base = `/project/${projectId}/experiments`;
  const here = `${base}/${experiment.id}`;
  return (
    <>
      <PageHeader
        title={experiment.name}
        crumbs={[{ label: "Experiments", href: base as Route }]}
        mark={
          <>
            <Status status={shownStatus(experiment)} />
            {experiment.conclusion ? (
              <Badge tone={CONCLUSION_TONES[experiment.conclusion]}>
                {conclusionWord(experiment.conclusion)}
              </Badge>
            ) : null}
          </>
        }
        description={<Dates projectId={projectId} experiment={experiment} />}
        actions={<HeaderActions {...{ projectId, experiment, access, actions }} />}
        tabs={
          <TabLinks
            label="Views of the experiment"
            tabs={[
              { label: "Results", href: here as Route, current: current === "results" },
              { label: "Setup", href: `${here}/setup` as Route, current: current === "setup" },
              { label: "History", href: `${here}/history` as Route, current: current === "history" },
            ]}
          />
        }
      />
      <ReadOnlyNote access={access} />
      <UnreadableNote fields={experiment.unreadable_fields} noun="experiment" />
    </>
  );
}

function Dates({ projectId, experiment }: { projectId: string; experiment: ExperimentRecord }) {
  const { start_date: start, end_date: end, feature_flag: flag } = experiment;
  return (
    <span className="flex flex-wrap items-baseline gap-x-1.5">
      Flag
      <TextLink
        href={`/project/${projectId}/feature_flags/${flag.id}` as Route}
        className="font-mono text-xs"
      >
        {flag.key}
      </TextLink>
      <span aria-hidden="true">·</span>
      {start ? (
        <span>
          launched <RelativeTime date={start} />
        </span>
      ) : (
        <span>
          created <RelativeTime date={experiment.created_at} />
        </span>
      )}
      {end ? (
        <span>
          · stopped <RelativeTime date={end} />
        </span>
      ) : null}
      {experiment.status === "paused" ? <span>· its flag is off, so nobody new is exposed</span> : null}
    </span>
  );
}
