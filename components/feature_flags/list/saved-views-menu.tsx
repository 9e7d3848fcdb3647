"use client";

import { Bookmark, Check, Pencil, Save, Trash2 } from "lucide-react";
import type { Route } from "next";
import { useRouter } from "next/navigation";
import { useState } from "react";
import type { FlagActions } from "#app/project/[project_id]/feature_flags/flag-actions.ts";
import type { Access } from "#components/kit/access.tsx";
import { findProblem } from "#components/kit/action.ts";
import { personName } from "#components/kit/person-name.ts";
import { Button } from "#components/ui/button.tsx";
import { ConfirmDialog } from "#components/ui/confirm-dialog.tsx";
import { Field } from "#components/ui/form/field.tsx";
import { Input } from "#components/ui/form/input.tsx";
import { IconButton } from "#components/ui/icon-button.tsx";
import { Link } from "#components/ui/link.tsx";
import { Popover } from "#components/ui/overlay/popover.tsx";
import { toast } from "#components/ui/overlay/toaster.tsx";
import type { SavedView } from "#lib/flags/saved_views/schema.ts";
import { flagList, viewQuery } from "./list-query.ts";

type Props = {
  projectId: string;
  views: readonly SavedView[];
  /** What the list shows now. */
  query: string;
  access: Access;
  actions: Pick<FlagActions, "saveView" | "updateView" | "deleteView">;
};

type Asking = { kind: "save" } | { kind: "rename" | "overwrite" | "delete"; view: SavedView };

/** What a view shows, as far as the list knows its fields. */
function shownBy(projectId: string, { query }: SavedView): string {
  const given: Record<string, string[]> = {};
  for (const [name, value] of new URLSearchParams(query)) given[name] = [...(given[name] ?? []), value];
  return viewQuery(projectId, flagList.read(given));
}

/** The project's saved views: opening them, saving what the list shows, renaming, overwriting and deleting them. */
export function SavedViewsMenu({ projectId, views, query, access, actions }: Props) {
  const [open, setOpen] = useState(false);
  const [asking, setAsking] = useState<Asking>();
  const current = views.find((view) => shownBy(projectId, view) === query);
  const ask = (next: Asking) => {
    setOpen(false);
    setAsking(next);
  };
  return (
    <>
      <Popover
        label="Saved views"
        open={open}
        onOpenChange={setOpen}
        className="w-88 max-w-full"
        trigger={
          <Button size="sm" icon={Bookmark} className="max-w-56">
            <span className="truncate">{current ? current.name : "Views"}</span>
          </Button>
        }
      >
        <div className="flex flex-col gap-3">
          {views.length === 0 ? (
            <p className="text-muted text-sm">
              No view is saved yet. Search, filter or sort the list, then save it under a name for everyone in
              the project.
            </p>
          ) : (
            <ul aria-label="Saved views" className="-mx-1 flex max-h-80 flex-col overflow-y-auto scroll-thin">
              {views.map((view) => (
                <ViewRow
                  key={view.id}
                  projectId={projectId}
                  view={view}
                  isCurrent={view === current}
                  isSame={view.query === query}
                  mayWrite={access.may_write}
                  onOpen={() => setOpen(false)}
                  onAsk={(kind) => ask({ kind, view })}
                />
              ))}
            </ul>
          )}
          {access.may_write ? (
            <Button
              size="sm"
              icon={Save}
              disabled={current !== undefined}
              onClick={() => ask({ kind: "save" })}
            >
              Save this list as a view…
            </Button>
          ) : (
            <p className="text-faint text-xs">{access.reason}</p>
          )}
        </div>
      </Popover>
      {asking ? (
        <AskDialog
          key={asking.kind}
          asking={asking}
          {...{ projectId, query, actions }}
          onClose={() => setAsking(undefined)}
        />
      ) : null}
    </>
  );
}

type RowProps = {
  projectId: string;
  view: SavedView;
  isCurrent: boolean;
  /** Whether overwriting it would change nothing. */
  isSame: boolean;
  mayWrite: boolean;
  onOpen: () => void;
  onAsk: (kind: "rename" | "overwrite" | "delete") => void;
};

function ViewRow({ projectId, view, isCurrent, isSame, mayWrite, onOpen, onAsk }: RowProps) {
  const { name } = view;
  return (
    <li className="flex items-center gap-0.5 rounded-md pr-1 hover:bg-hover">
      <Link
        href={`/project/${projectId}/feature_flags${view.query ? `?${view.query}` : ""}` as Route}
        aria-current={isCurrent ? "true" : undefined}
        onClick={onOpen}
        className="flex min-w-0 flex-1 items-center gap-2 rounded-md px-2 py-1.5 text-sm"
      >
        <span className="min-w-0 flex-1">
          <span className="block truncate">{name}</span>
          <span className="block truncate text-faint text-xs">
            {`by ${personName(view.created_by) ?? "someone who has left"}`}
          </span>
        </span>
        {isCurrent ? <Check aria-hidden="true" className="size-4 shrink-0 text-accent-text" /> : null}
      </Link>
      {mayWrite ? (
        <>
          {isSame ? null : (
            <IconButton
              size="sm"
              icon={Save}
              label={`Overwrite ${name} with this list`}
              onClick={() => onAsk("overwrite")}
            />
          )}
          <IconButton size="sm" icon={Pencil} label={`Rename ${name}`} onClick={() => onAsk("rename")} />
          <IconButton size="sm" icon={Trash2} label={`Delete ${name}`} onClick={() => onAsk("delete")} />
        </>
      ) : null}
    </li>
  );
}

type AskProps = Pick<Props, "projectId" | "query" | "actions"> & { asking: Asking; onClose: () => void };

const NAME_MAX = 100;

function AskDialog({ asking, projectId, query, actions, onClose }: AskProps) {
  const router = useRouter();
  const view = "view" in asking ? asking.view : null;
  const [name, setName] = useState(view?.name ?? "");
  const { kind } = asking;
  const isNamed = kind === "save" || kind === "rename";
  const title = {
    save: "Save this list as a view",
    rename: `Rename “${view?.name}”`,
    overwrite: `Overwrite “${view?.name}”?`,
    delete: `Delete “${view?.name}”?`,
  }[kind];
  const description = {
    save: "Its search, filters and order, for everyone in the project.",
    rename: undefined,
    overwrite: "It then shows what the list shows now, for everyone in the project.",
    delete: "Everyone in the project loses it. Links to the list with its filters still work.",
  }[kind];
  const write = () => {
    if (!view) return actions.saveView(projectId, { name, query });
    if (kind === "delete") return actions.deleteView(projectId, view.id);
    return actions.updateView(projectId, view.id, kind === "rename" ? { name } : { query });
  };
  async function confirm() {
    if (isNamed && name.trim() === "") return "Enter a name.";
    const problem = await findProblem(write);
    if (problem !== undefined) return problem;
    const done = { save: "saved", rename: "renamed", overwrite: "overwritten", delete: "deleted" }[kind];
    toast.success(`The view ${isNamed ? name.trim() : view?.name} was ${done}`);
    // Old fields that the list ignores are gone from the view; they also go from the address.
    if (kind === "overwrite")
      router.replace(`/project/${projectId}/feature_flags${query ? `?${query}` : ""}` as Route);
    return undefined;
  }
  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={title}
      description={description}
      confirmLabel={
        { save: "Save view", rename: "Rename", overwrite: "Overwrite", delete: "Delete view" }[kind]
      }
      danger={kind === "delete"}
      onConfirm={confirm}
    >
      {isNamed ? (
        <Field label="Name">
          <Input
            value={name}
            maxLength={NAME_MAX}
            autoComplete="off"
            onChange={(event) => setName(event.target.value)}
          />
        </Field>
      ) : null}
    </ConfirmDialog>
  );
}
