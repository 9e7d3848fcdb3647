"use server";

import { writeResult } from "#lib/app/session/action-result.ts";
import { flagEnvironmentContract, type PromoteBody } from "#lib/flags/environments/contract.ts";
import { flagContract } from "#lib/flags/feature_flags/contract.ts";
import { versionsContract } from "#lib/flags/feature_flags/history/versions-contract.ts";
import type { FlagChange } from "#lib/flags/feature_flags/schema.ts";
import { conflict, unreadable } from "#lib/platform/http/errors.ts";

const PAGES = "/project/[project_id]/feature_flags";

/** Promotes flags, all or none of them; a dry run changes nothing. */
export async function promote(project_id: string, body: PromoteBody) {
  return writeResult(PAGES, (api) =>
    api.call(flagEnvironmentContract.promote, { params: { project_id }, body }),
  );
}

const ALL = "10000";

type Before = { key: string; id: number | null; version: number | null };

/** Takes a promotion back: flags are again what they were before it, and those that it made are deleted. */
export async function undoPromotion(project_id: string, flags: readonly Before[]) {
  return writeResult(PAGES, async (api) => {
    // Any browser can call an action, with anything.
    if (!Array.isArray(flags)) throw unreadable("This is not a list of flags.");
    for (const { key, id, version } of flags) {
      if (id === null) {
        const { results } = await api.call(flagContract.list, {
          params: { project_id },
          query: { search: key, limit: ALL },
        });
        const made = results.find((flag) => flag.key === key);
        if (made)
          await api.call(flagContract.partial_update, {
            params: { project_id, id: String(made.id) },
            body: { deleted: true },
          });
        continue;
      }
      const params = { project_id, id: String(id) };
      const { results } = await api.call(versionsContract.versions, {
        params,
        query: { versions: String(version) },
      });
      const [found] = results;
      if (!found) throw conflict(`Version ${version} of ${key} is not known any more.`);
      await api.call(flagContract.partial_update, { params, body: found.flag as FlagChange });
    }
    return null;
  });
}

export type PromotionActions = { promote: typeof promote; undoPromotion: typeof undoPromotion };
