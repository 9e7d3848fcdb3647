import type { Metadata } from "next";
import { NewProjectForm } from "#components/projects/new_project_form.tsx";
import { Page, PageHeader } from "#components/ui/page-header.tsx";
import { accessTo } from "#lib/dashboard/permitted.ts";
import { createProject } from "./actions.ts";

export const metadata: Metadata = { title: "New project" };

export default async function NewProjectPage() {
  return (
    <Page width="form">
      <PageHeader
        title="New project"
        description="Flags, experiments, surveys and people of its own, and tokens of its own for SDKs."
      />
      <NewProjectForm access={await accessTo("project:write", "make projects")} create={createProject} />
    </Page>
  );
}
