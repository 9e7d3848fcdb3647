"use client";

import { useOptimistic, useTransition } from "react";
import type { FlagActions } from "#app/project/[project_id]/feature_flags/flag-actions.ts";
import type { ListItem } from "#components/feature_flags/list-item.ts";
import { attempt, findProblem, problemOf, reportProblem } from "#components/kit/action.ts";
import { toast } from "#components/ui/overlay/toaster.tsx";
import type { FlagChange } from "#lib/flags/feature_flags/schema.ts";

type Patch = { ids: ReadonlySet<number>; change: Partial<ListItem> | "gone" };

const apply = (flags: ListItem[], { ids, change }: Patch): ListItem[] =>
  change === "gone"
    ? flags.filter((flag) => !ids.has(flag.id))
    : flags.map((flag) => (ids.has(flag.id) ? { ...flag, ...change } : flag));

const flags = (count: number) => `${count} ${count === 1 ? "flag" : "flags"}`;

/** How one change is made, shown optimistically, confirmed and undone. */
export type BulkChange = {
  targets: readonly ListItem[];
  bodyFor: (flag: ListItem) => FlagChange;
  undoFor: (flag: ListItem) => FlagChange;
  shown: Partial<ListItem> | "gone";
  /** "turned on": what has been done to them. */
  done: string;
};

/** What did not work, flag by flag; `request` is the change request of one that a policy holds. */
export type BulkProblems = {
  done: string;
  succeeded: number;
  problems: { key: string; detail: string; request: string | null }[];
};

/**
 * The flags of a page with optimistic changes; a failed change reverts to what is stored and says
 * why. Every change that worked can be undone.
 */
export function useFlagChanges(projectId: string, items: ListItem[], actions: FlagActions) {
  const [shown, show] = useOptimistic(items, apply);
  const [pending, start] = useTransition();

  const undoOne = (id: number, body: FlagChange) => () =>
    findProblem(() => actions.update(projectId, id, body));

  function toggle(flag: ListItem, active: boolean) {
    start(async () => {
      show({ ids: new Set([flag.id]), change: { active } });
      const result = await attempt(() => actions.update(projectId, flag.id, { active }));
      if (!result.ok) reportProblem(`${flag.key} was not changed`, result);
      else
        toast.withUndo(
          `${flag.key} is ${active ? "on" : "off"}`,
          undoOne(flag.id, { active: !active }),
          `${flag.key} is ${active ? "off" : "on"} again`,
        );
    });
  }

  async function remove(flag: ListItem): Promise<string | undefined> {
    const result = await attempt(() => actions.update(projectId, flag.id, { deleted: true }));
    if (!result.ok) return problemOf(result);
    toast.withUndo(`${flag.key} was deleted`, undoOne(flag.id, { deleted: false }), `${flag.key} is back`);
    return undefined;
  }

  async function many(change: BulkChange): Promise<BulkProblems> {
    const { targets, bodyFor, undoFor, done } = change;
    const calls = targets.map((flag) => ({ id: flag.id, body: bodyFor(flag) }));
    const result = await attempt(() => actions.updateMany(projectId, calls));
    const outcomes = result.ok
      ? result.data
      : calls.map(({ id }) => ({ id, problem: result.error.detail, request: null }));
    const byFlag = new Map(outcomes.map((outcome) => [outcome.id, outcome]));
    const changed = targets.filter((flag) => byFlag.get(flag.id)?.problem === null);
    if (changed.length > 0)
      toast.withUndo(`${flags(changed.length)} ${done}`, async () => {
        const formerly = changed.map((flag) => ({ id: flag.id, body: undoFor(flag) }));
        const back = await attempt(() => actions.updateMany(projectId, formerly));
        if (!back.ok) return problemOf(back);
        const failed = back.data.filter((outcome) => outcome.problem !== null);
        if (failed.every(({ request }) => request !== null)) {
          if (failed.length > 0) toast.notYet(`${flags(failed.length)} need approval to be changed back`);
          return undefined;
        }
        return failed.length > 0
          ? `${flags(failed.length)} could not be changed back: ${failed[0]?.problem}`
          : undefined;
      });
    const problems = targets.flatMap((flag) => {
      const { problem, request } = byFlag.get(flag.id) ?? {};
      return problem ? [{ key: flag.key, detail: problem, request: request ?? null }] : [];
    });
    return { done, succeeded: changed.length, problems };
  }

  return { shown, pending, toggle, remove, many };
}
