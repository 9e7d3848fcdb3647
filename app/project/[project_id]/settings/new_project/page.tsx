import type { Metadata } from "next";
import { NewProjectForm } from "#components/projects/new-project-form.tsx";
import { Page, PageHeader } from "#components/ui/display/page-header.tsx";
import { accessTo } from "#lib/app/session/permitted.ts";
import { createProject } from "./actions.ts";

export const metadata: Metadata = { title: "New project" };

export default async function NewProjectPage() {
  return (
    <Page width="form">
      <PageHeader
        title="New project"
        description="With its own flags, experiments, surveys, people and SDK tokens."
      />
      <NewProjectForm access={await accessTo("project:write", "create projects")} create={createProject} />
    </Page>
  );
}
