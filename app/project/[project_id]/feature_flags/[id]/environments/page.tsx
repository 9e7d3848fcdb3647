import { Layers } from "lucide-react";
import type { Route } from "next";
import { FlagEnvironments } from "#components/feature_flags/environments/flag-environments.tsx";
import { ButtonLink } from "#components/ui/button.tsx";
import { EmptyState } from "#components/ui/display/empty-state.tsx";
import { getApi } from "#lib/app/session/api.ts";
import { flagEnvironmentContract } from "#lib/flags/environments/contract.ts";
import { FlagFrame, type FlagPageProps, flagTitle } from "../flag-frame.tsx";

export const generateMetadata = (props: FlagPageProps) => flagTitle(props, "Environments");

export default function FlagEnvironmentsPage({ params }: FlagPageProps) {
  return (
    <FlagFrame params={params} current="environments">
      {({ projectId, flag }) => <Environments projectId={projectId} id={flag.id} flagKey={flag.key} />}
    </FlagFrame>
  );
}

async function Environments({ projectId, id, flagKey }: { projectId: string; id: number; flagKey: string }) {
  const api = await getApi();
  const { results } = await api.call(flagEnvironmentContract.compare, {
    params: { project_id: projectId, id: String(id) },
  });
  if (results.length === 0)
    return (
      <EmptyState
        icon={Layers}
        title="This project has no other environments"
        actions={
          <ButtonLink href={`/project/${projectId}/settings/project#environments` as Route}>
            Link environments
          </ButtonLink>
        }
      >
        Link it with the projects that are its staging or production, to compare flags and promote changes.
      </EmptyState>
    );
  return <FlagEnvironments projectId={projectId} flagKey={flagKey} environments={results} />;
}
