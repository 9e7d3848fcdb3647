import { ReplayForm } from "#components/feature_flags/replay/replay-form.tsx";
import { personName } from "#components/kit/person-name.ts";
import { getApi } from "#lib/app/session/api.ts";
import { permitted } from "#lib/app/session/permitted.ts";
import { versionsContract } from "#lib/flags/feature_flags/history/versions-contract.ts";
import { FlagFrame, type FlagPageContent, type FlagPageProps, flagTitle } from "../flag-frame.tsx";

export const generateMetadata = (props: FlagPageProps) => flagTitle(props, "Replay");

/** Versions to choose from; earlier ones are replayed through the API. */
const VERSIONS = "50";

export default function ReplayPage({ params }: FlagPageProps) {
  return (
    <FlagFrame params={params} current="replay">
      {(content) => <Replay {...content} />}
    </FlagFrame>
  );
}

async function Replay({ projectId, flag }: FlagPageContent) {
  const api = await getApi();
  const found = await permitted(
    api.call(versionsContract.versions, {
      params: { project_id: projectId, id: String(flag.id) },
      query: { limit: VERSIONS },
    }),
  );
  const earlier = found?.results.filter(({ version }) => version !== null && version !== flag.version);
  return (
    <ReplayForm
      projectId={projectId}
      flagId={flag.id}
      versions={
        earlier?.map(({ version, entry }) => ({
          version: version ?? 0,
          label: `Version ${version}, ${entry.created_at.slice(0, 10)}${personName(entry.user) ? `, ${personName(entry.user)}` : ""}`,
        })) ?? null
      }
    />
  );
}
