"use server";

import type { z } from "zod";
import { writeResult } from "#lib/app/session/action-result.ts";
import { holdoutContract } from "#lib/experiments/experiments/holdouts/contract.ts";
import type { holdoutCreate, holdoutUpdate } from "#lib/experiments/experiments/schema.ts";

const pages = (project_id: string) => `/project/${project_id}/experiments`;

const one = (project_id: string, id: number) => ({ project_id, id: String(id) });

/** Creates a holdout, or changes the one with this id; new ones need filters. */
export async function save(
  project_id: string,
  id: number | null,
  { filters, ...rest }: z.input<typeof holdoutUpdate> & Pick<z.input<typeof holdoutCreate>, "name">,
) {
  return writeResult(pages(project_id), (api) =>
    id === null
      ? api.call(holdoutContract.create, {
          params: { project_id },
          body: { ...rest, filters: filters ?? [] },
        })
      : api.call(holdoutContract.partial_update, {
          params: one(project_id, id),
          body: { ...rest, ...(filters && { filters }) },
        }),
  );
}

export async function remove(project_id: string, id: number) {
  return writeResult(pages(project_id), (api) =>
    api.call(holdoutContract.destroy, { params: one(project_id, id) }),
  );
}
