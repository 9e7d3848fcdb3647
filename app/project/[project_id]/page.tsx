import type { Route } from "next";
import { redirect } from "next/navigation";
import { permitted } from "#lib/app/session/permitted.ts";
import { requireWho } from "#lib/app/session/who.ts";
import { flagContract } from "#lib/flags/feature_flags/contract.ts";

/** Redirects to the inbox; as long as the project has no flag, to the first steps. */
export default async function ProjectPage({ params }: { params: Promise<{ project_id: string }> }) {
  const { project_id } = await params;
  // The layout asks too, but a browser that has it already asks for the page alone.
  const { api } = await requireWho();
  const flags = await permitted(
    api.call(flagContract.list, { params: { project_id }, query: { limit: "1" } }),
  );
  redirect(`/project/${project_id}/${flags?.count === 0 ? "feature_flags" : "inbox"}` as Route);
}
