import type { Route } from "next";
import type { Access } from "#components/feature_flags/flag_actions.ts";
import { ReadOnlyNote } from "#components/feature_flags/read_only_note.tsx";
import { Badge, Status } from "#components/ui/badge.tsx";
import { PageHeader } from "#components/ui/page-header.tsx";
import { RelativeTime } from "#components/ui/relative-time.tsx";
import { TabLinks } from "#components/ui/tabs.tsx";
import { TextLink } from "#components/ui/text-link.tsx";
import { UnreadableNote } from "#components/ui/unreadable.tsx";
import type { ExperimentRecord } from "#lib/experiments/schema.ts";
import type { ExperimentActions } from "./experiment_actions.ts";
import { HeaderActions } from "./header_actions.tsx";
import { CONCLUSION_TONES, conclusionWord, shownStatus } from "./status.ts";

type Props = {
  projectId: string;
  experiment: ExperimentRecord;
  current: "results" | "setup" | "history";
  access: Access;
  actions: ExperimentActions;
};

/** The top of an experiment's pages: what it is, where it stands, what can be done. */
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
      On
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
          made <RelativeTime date={experiment.created_at} />
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
