"use client";

import { useQueryClient } from "@tanstack/react-query";
import { ArrowRight, FlaskConical } from "lucide-react";
import type { Route } from "next";
import { useState } from "react";
import { useMay } from "#components/frame/frame-context.tsx";
import { type Access, Permit, refused } from "#components/kit/access.tsx";
import { attempt } from "#components/kit/action.ts";
import { useEndpoint } from "#components/kit/use-endpoint.ts";
import { Button, ButtonLink } from "#components/ui/button.tsx";
import { Progress } from "#components/ui/display/progress.tsx";
import { FieldError } from "#components/ui/form/field.tsx";
import type { demoContract } from "#lib/app/demo/contract.ts";
import type { DemoLoad } from "#lib/app/demo/schema.ts";
import type { ActionResult } from "#lib/app/session/action-result.ts";

const POLL_MS = 1_000;

type Props = {
  /** Of the current page. */
  projectId: string;
  access: Access;
  load: () => Promise<ActionResult<DemoLoad>>;
};

/** Loads the demo project, shows progress, and links to it. Renders nothing if the API has none. */
export function LoadDemo({ projectId, access, load }: Props) {
  const queries = useQueryClient();
  const [problem, setProblem] = useState<string>();
  const [starting, setStarting] = useState(false);
  const mayLook = useMay("project:read");
  const found = useEndpoint<typeof demoContract.retrieve>(
    "/api/organizations/@current/demo_project/",
    {},
    {
      enabled: mayLook,
      retry: false,
      refetchInterval: (query) => (query.state.data?.state === "running" ? POLL_MS : false),
    },
  );
  async function start() {
    if (!access.may_write) return;
    setStarting(true);
    setProblem(undefined);
    const result = await attempt(load);
    setStarting(false);
    if (!result.ok) setProblem(result.error.detail);
    await queries.invalidateQueries({ queryKey: ["/api/organizations/@current/demo_project/"] });
  }
  if (!mayLook || found.isPending || found.isError) return null;
  const demo = found.data;
  if (demo?.state === "running") return <Running percent={demo.percent} />;
  if (demo?.state === "done") {
    if (String(demo.project_id) === projectId) return null;
    return (
      <ButtonLink href={`/project/${demo.project_id}/feature_flags` as Route} icon={ArrowRight}>
        Open the demo project
      </ButtonLink>
    );
  }
  return (
    <div className="flex min-w-0 flex-col items-start gap-1.5">
      {demo ? (
        <p className="text-muted text-sm">
          {demo.state === "interrupted"
            ? `Loading stopped at ${demo.percent}% when the server shut down. It will resume from there.`
            : `Loading failed at ${demo.percent}%. Loaded data is kept; retrying resumes from there.`}
        </p>
      ) : null}
      <Permit access={access}>
        <Button icon={FlaskConical} loading={starting} onClick={start} {...refused(access)}>
          {demo ? "Resume loading the demo project" : "Load the demo project"}
        </Button>
      </Permit>
      <FieldError>{problem}</FieldError>
    </div>
  );
}

function Running({ percent }: { percent: number }) {
  return (
    <div className="flex w-full max-w-sm flex-col gap-1.5">
      <p className="flex justify-between gap-3 text-muted text-xs">
        <span>Loading the demo project…</span>
        <span className="tabular">{percent}%</span>
      </p>
      <Progress value={percent / 100} label="Loading the demo project" />
    </div>
  );
}
