import type { ServedRuntime } from "#lib/app/runtime.ts";
import { requireOrganization } from "#lib/identity/accounts/access.ts";
import { create as createProject } from "#lib/identity/projects/service.ts";
import { inTransaction } from "#lib/platform/db/connect.ts";
import type * as http from "#lib/platform/http/context.ts";
import { log } from "#lib/platform/log.ts";

type AccountContext = http.AccountContext<ServedRuntime>;

import { loadDemo } from "./load.ts";
import type { DemoLoad } from "./schema.ts";
import { type DemoLoadRow, insertDemoLoad, lockDemo, selectDemoLoad, updateDemoLoad } from "./store.ts";

/** A load without progress for so long counts as interrupted. */
const ABANDONED_AFTER_MS = 30_000;

const NAME = "Demo project";

const loadOf = (row: DemoLoadRow, now: Date): DemoLoad => {
  const abandoned = row.state === "running" && now.getTime() - row.updated_at.getTime() > ABANDONED_AFTER_MS;
  const state = abandoned ? "interrupted" : (row.state as DemoLoad["state"]);
  return { project_id: row.project_id, state, percent: row.percent };
};

export async function retrieve(context: AccountContext): Promise<DemoLoad | null> {
  const organization = await requireOrganization(context, "@current");
  const row = await selectDemoLoad(context.db, organization.id);
  return row && loadOf(row, context.now);
}

/** Runs a load to its end, reporting progress and failures. */
export async function runLoad(
  context: AccountContext,
  row: DemoLoadRow,
  onProgress: (percent: number) => void = () => undefined,
): Promise<void> {
  const tell = async (state: string, percent: number) => {
    await updateDemoLoad(context.db, row.project_id, { state, percent, updated_at: new Date() });
    onProgress(percent);
  };
  let reached = 0;
  try {
    const project = (await context.runtime.directory.current()).projects.get(row.project_id);
    if (!project) throw new Error("The demo project is gone.");
    await loadDemo({ ...context, project }, row.started_at, async (percent) => {
      if (percent === reached) return;
      reached = percent;
      await tell("running", percent);
    });
    await tell("done", 100);
  } catch (error) {
    await tell("failed", reached);
    throw error;
  }
}

/** The organization's demo project, created where there is none; `mine` says whether the caller should load it. */
export async function claim(context: AccountContext): Promise<{ row: DemoLoadRow; mine: boolean }> {
  const organization = await requireOrganization(context, "@current");
  const claimed = await inTransaction(context.db, async (tx) => {
    await lockDemo(tx);
    const there = await selectDemoLoad(tx, organization.id);
    if (there) {
      const { state } = loadOf(there, context.now);
      const mine = state === "interrupted" || state === "failed";
      if (mine)
        await updateDemoLoad(tx, there.project_id, {
          state: "running",
          percent: there.percent,
          updated_at: context.now,
        });
      return { row: there, mine };
    }
    const made = await createProject({ ...context, db: tx }, { params: {}, query: {}, body: { name: NAME } });
    await insertDemoLoad(tx, made.id, context.now);
    const row = await selectDemoLoad(tx, organization.id);
    if (!row) throw new Error("The demo project was not written.");
    return { row, mine: true };
  });
  context.runtime.directory.drop();
  return claimed;
}

export async function load(context: AccountContext): Promise<DemoLoad> {
  const { row, mine } = await claim(context);
  // Continues after this response; the row reports how it ends.
  if (mine)
    void runLoad(context, row).catch((error: unknown) =>
      log().error({ error }, "The demo project could not be loaded."),
    );
  return loadOf(mine ? { ...row, state: "running" } : row, new Date(row.updated_at));
}
