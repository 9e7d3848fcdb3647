import { Lock, UserX } from "lucide-react";
import type { Metadata } from "next";
import { ExperimentTabs } from "#components/experiments/experiment-tabs.tsx";
import { HoldoutList, NewHoldout } from "#components/experiments/holdouts/holdout-list.tsx";
import { ReadOnlyNote } from "#components/kit/access.tsx";
import { EmptyState } from "#components/ui/display/empty-state.tsx";
import { Page, PageHeader } from "#components/ui/display/page-header.tsx";
import { getApi } from "#lib/app/session/api.ts";
import { experimentActions } from "../experiment-actions.ts";
import { experimentAccess, holdoutsOf } from "../reads.ts";

export const metadata: Metadata = { title: "Holdouts" };

type Props = { params: Promise<{ project_id: string }> };

export default async function HoldoutsPage({ params }: Props) {
  const { project_id } = await params;
  const [holdouts, access] = await Promise.all([holdoutsOf(await getApi(), project_id), experimentAccess()]);
  const common = { projectId: project_id, actions: experimentActions.holdouts };
  const make = access.may_write ? <NewHoldout {...common} /> : null;
  return (
    <Page>
      <PageHeader
        title="Experiments"
        description="People who stay out of experiments, so that you can tell what all of them did together."
        actions={holdouts && holdouts.length > 0 ? make : null}
        tabs={<ExperimentTabs projectId={project_id} current="holdouts" />}
      />
      {holdouts ? <ReadOnlyNote access={access} /> : null}
      {!holdouts ? (
        <EmptyState icon={Lock} title="Your API key cannot read experiments">
          Sign in with a key that has the scope experiment:read.
        </EmptyState>
      ) : holdouts.length === 0 ? (
        <EmptyState icon={UserX} title="No holdouts yet" actions={make}>
          A holdout keeps the same few people out of every experiment that uses it. Choose it when you set up
          an experiment.
        </EmptyState>
      ) : (
        <HoldoutList {...common} holdouts={holdouts} access={access} />
      )}
    </Page>
  );
}
