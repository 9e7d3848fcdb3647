import type { Route } from "next";
import { FlagForm } from "#components/feature_flags/flag-form.tsx";
import type { SearchParams } from "#components/kit/list/search-params.ts";
import { TextLink } from "#components/ui/text-link.tsx";
import { getApi } from "#lib/app/session/api.ts";
import { plural } from "#lib/platform/format.ts";
import { readRevision } from "../../../change_requests/read-revision.ts";
import { flagActions } from "../../flag-actions.ts";
import { pinsOf } from "../../reads.ts";
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
  const api = await getApi();
  const [revision, pins] = await Promise.all([
    readRevision(api, projectId, query, `feature_flags/${flag.id}/`),
    pinsOf(api, projectId, flag.id),
  ]);
  return (
    <>
      {pins.length > 0 ? (
        <p className="mb-4 text-muted text-sm">
          {plural(pins.length, "person is", "people are")} pinned to a value, whatever is set here.{" "}
          <TextLink href={`/project/${projectId}/feature_flags/${flag.id}#pins` as Route}>
            See the pins
          </TextLink>
        </p>
      ) : null}
      <FlagForm
        key={`${flag.id} ${revision?.id}`}
        {...content}
        actions={flagActions}
        {...(revision && { revision })}
      />
    </>
  );
}
