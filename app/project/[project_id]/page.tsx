import type { Route } from "next";
import { redirect } from "next/navigation";

export default async function ProjectPage({ params }: { params: Promise<{ project_id: string }> }) {
  redirect(`/project/${(await params).project_id}/feature_flags` as Route);
}
