import { FlagForm } from "#components/feature_flags/flag-form.tsx";
import type { SearchParams } from "#components/kit/list/search-params.ts";
import { getApi } from "#lib/app/session/api.ts";
import { readRevision } from "../../../change_requests/read-revision.ts";
import { flagActions } from "../../flag-actions.ts";
import { FlagFrame, type FlagPageContent, type FlagPageProps, flagTitle } from "../flag-frame.tsx";

export const generateMetadata = (props: FlagPageProps) => flagTitle(props, "Targeting");

type Props = FlagPageProps & { searchParams: Promise<SearchParams> };

export default async function TargetingPage({ params, searchParams }: Props) {
  const query = await searchParams;
  return (
    <FlagFrame params={params} current="targeting">
      {(content) => <Form {...content} query={query} />}
    </FlagFrame>
  );
}

/** The form with what is stored, or with what a change request proposes. */
async function Form({ query, ...content }: FlagPageContent & { query: SearchParams }) {
  const { projectId, flag } = content;
  const revision = await readRevision(await getApi(), projectId, query, `feature_flags/${flag.id}/`);
  return (
    <FlagForm
      key={`${flag.id} ${revision?.id}`}
      {...content}
      actions={flagActions}
      {...(revision && { revision })}
    />
  );
}
