"use client";

import type { Route } from "next";
import { Suspense } from "react";
import type { ExperimentActions } from "#app/project/[project_id]/experiments/experiment-actions.ts";
import { ExperimentMenu } from "#components/experiments/running/experiment-menu.tsx";
import type { Access } from "#components/kit/access.tsx";
import { ListHead } from "#components/kit/list/list-head.tsx";
import { Badge, Status } from "#components/ui/display/badge.tsx";
import { RelativeTime } from "#components/ui/display/relative-time.tsx";
import { ShareBar } from "#components/ui/display/share-bar.tsx";
import { Table, TableBody, Td, Tr } from "#components/ui/display/table.tsx";
import { UnreadableBadge } from "#components/ui/display/unreadable.tsx";
import { Link } from "#components/ui/link.tsx";
import { RowKeys } from "#components/ui/row-keys.tsx";
import type { ExperimentRecord } from "#lib/experiments/experiments/schema.ts";
import { Exposures, FigureSkeleton, type Figures, ListLooks, ResultLine } from "./list-figures.tsx";
import { experimentList, type ListQuery } from "./list-query.ts";
import { CONCLUSION_TONES, conclusionWord, daysRunning, daysText, shownStatus } from "./status.ts";
import { splitOfExperiment } from "./variants.ts";

type Props = {
  projectId: string;
  experiments: ExperimentRecord[];
  /** Loading while the list is already shown. */
  figures: Figures;
  query: ListQuery;
  access: Access;
  actions: ExperimentActions;
  /** Milliseconds since 1970, when the page was made. */
  now: number;
};

/** The experiments of a page. */
export function ExperimentList(props: Props) {
  const { projectId, query } = props;
  return (
    <RowKeys noun="experiment">
      <Table caption="Experiments" minWidth="sm:min-w-[56rem]">
        <ListHead list={experimentList} {...{ projectId, query }} />
        <TableBody>
          {props.experiments.map((experiment) => (
            <Row key={experiment.id} experiment={experiment} {...props} />
          ))}
        </TableBody>
      </Table>
      <Suspense>
        <ListLooks projectId={projectId} figures={props.figures} look={props.actions.lookAtList} />
      </Suspense>
    </RowKeys>
  );
}

function Row({ experiment, ...props }: Props & { experiment: ExperimentRecord }) {
  const { projectId, figures, now } = props;
  const { id } = experiment;
  const days = daysRunning(experiment, now);
  return (
    <Tr dimmed={experiment.archived}>
      <Td place="title" className="sm:max-w-[24rem] sm:min-w-[14rem]">
        <Name projectId={projectId} experiment={experiment} />
      </Td>
      <Td label="Status">
        <Status status={shownStatus(experiment)} />
      </Td>
      <Td label="Primary metric" className="text-xs sm:max-w-[20rem]">
        <Suspense fallback={<FigureSkeleton />}>
          <ResultLine id={id} figures={figures} />
        </Suspense>
      </Td>
      <Td label="Exposed" align="right" className="text-xs">
        <Suspense fallback={<FigureSkeleton />}>
          <Exposures id={id} figures={figures} />
        </Suspense>
      </Td>
      <Td label="Duration" align="right" className="whitespace-nowrap text-muted text-xs">
        {days === null ? (
          <span className="text-faint">
            created <RelativeTime date={experiment.created_at} />
          </span>
        ) : (
          <span className="tabular">{daysText(days)}</span>
        )}
      </Td>
      <Td label="Conclusion" className="text-xs">
        {experiment.conclusion ? (
          <Badge
            tone={CONCLUSION_TONES[experiment.conclusion]}
            title={experiment.conclusion_comment ?? undefined}
          >
            {conclusionWord(experiment.conclusion)}
          </Badge>
        ) : (
          <span className="text-faint">–</span>
        )}
      </Td>
      <Td place="corner" align="right" className="pl-0 sm:w-10">
        <ExperimentMenu {...props} experiment={experiment} />
      </Td>
    </Tr>
  );
}

function Name({ projectId, experiment }: { projectId: string; experiment: ExperimentRecord }) {
  const draft = experiment.status === "draft";
  const base = `/project/${projectId}`;
  const variants = splitOfExperiment(experiment);
  return (
    <div className="flex min-w-0 flex-col gap-0.5">
      <Link
        href={`${base}/experiments/${experiment.id}${draft ? "/edit" : ""}` as Route}
        data-row-link=""
        className="-mx-1 w-fit max-w-full break-words rounded-xs px-1 font-medium text-ink hover:text-accent-text hover:underline hover:underline-offset-[3px]"
      >
        {experiment.name}
      </Link>
      <span className="flex min-w-0 items-center gap-2 text-xs">
        <Link
          href={`${base}/feature_flags/${experiment.feature_flag.id}` as Route}
          className="flex min-h-6 min-w-0 items-center font-mono text-2xs text-muted hover:text-ink hover:underline"
        >
          <span className="truncate">{experiment.feature_flag_key}</span>
        </Link>
        <ShareBar
          label={`Variants of ${experiment.feature_flag_key}`}
          shares={variants.map(({ key, rollout_percentage }) => ({ name: key, percent: rollout_percentage }))}
          className="max-w-20"
        />
      </span>
      <UnreadableBadge fields={experiment.unreadable_fields} />
    </div>
  );
}
