import type { Metadata, Route } from "next";
import { notFound } from "next/navigation";
import { HoldoutResultsView } from "#components/experiments/holdouts/holdout-results.tsx";
import { shareText } from "#components/experiments/holdouts/share-text.ts";
import { Page, PageHeader } from "#components/ui/display/page-header.tsx";
import { getApi } from "#lib/app/session/api.ts";
import { permitted } from "#lib/app/session/permitted.ts";
import { experimentResultContract } from "#lib/experiments/results/contract.ts";
import { holdoutsOf } from "../../reads.ts";

export const metadata: Metadata = { title: "Results of a holdout" };

type Props = { params: Promise<{ project_id: string; holdout_id: string }> };

/** What all experiments of a holdout did together. */
export default async function HoldoutPage({ params }: Props) {
  const { project_id, holdout_id } = await params;
  const api = await getApi();
  const holdout = (await holdoutsOf(api, project_id))?.find(({ id }) => String(id) === holdout_id);
  if (!holdout) notFound();
  const call = { params: { project_id, id: holdout_id } };
  const results = await permitted(api.call(experimentResultContract.holdout_results, call));
  if (!results) notFound();
  const base = `/project/${project_id}/experiments` as const;
  return (
    <Page width="wide">
      <PageHeader
        title={holdout.name}
        crumbs={[
          { label: "Experiments", href: base as Route },
          { label: "Holdouts", href: `${base}/holdouts` as Route },
        ]}
        description={holdout.description || `Keeps out ${shareText(holdout)}.`}
      />
      <HoldoutResultsView projectId={project_id} experiments={holdout.experiments} results={results} />
    </Page>
  );
}
