import type { Route } from "next";
import { redirect } from "next/navigation";
import { requireWho } from "#lib/app/session/who.ts";

export default async function ProjectPage({ params }: { params: Promise<{ project_id: string }> }) {
  // The layout asks too, but a browser that has it already asks for the page alone.
  await requireWho();
  redirect(`/project/${(await params).project_id}/inbox` as Route);
}
