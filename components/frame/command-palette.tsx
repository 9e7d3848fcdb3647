"use client";

import * as Radix from "@radix-ui/react-dialog";
import { Command } from "cmdk";
import {
  Flag,
  FlaskConical,
  Folder,
  Keyboard,
  LogOut,
  type LucideIcon,
  MessageSquareText,
  Plus,
  Search,
} from "lucide-react";
import { type ReactNode, useDeferredValue, useState } from "react";
import { useGuardedPush } from "#components/kit/editor/unsaved-guard.tsx";
import { Kbd } from "#components/ui/display/kbd.tsx";
import { Spinner } from "#components/ui/display/spinner.tsx";
import { scrimClass } from "#components/ui/overlay/boxes.ts";
import { themeOptions } from "./account-menu.tsx";
import { placeHref, shownPlaces } from "./destinations.ts";
import { useFrame, useMay } from "./frame-context.tsx";
import type { ProjectChoice } from "./project-switcher.tsx";
import { useExperimentSearch, useFlagSearch, useSurveySearch } from "./use-searches.ts";

type PaletteProps = {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  project: ProjectChoice;
  projects: readonly ProjectChoice[];
  openShortcuts: () => void;
};

type Action = {
  id: string;
  label: string;
  icon: LucideIcon;
  keys?: string;
  hint?: ReactNode;
  run: () => void;
};
type Group = { title: string; actions: Action[] };

/** Search to jump to any page, flag or project, and run common actions. */
export function CommandPalette({ open, onOpenChange, ...props }: PaletteProps) {
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className={scrimClass} />
        <Radix.Content
          aria-describedby={undefined}
          className="fixed inset-x-2 top-2 z-50 mx-auto max-w-xl overflow-hidden rounded-xl bg-raised text-ink shadow-modal data-[state=open]:animate-pop-in sm:top-[14vh]"
        >
          <Radix.Title className="sr-only">Search or jump to</Radix.Title>
          <PaletteBody {...props} close={() => onOpenChange(false)} />
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

type BodyProps = Omit<PaletteProps, "open" | "onOpenChange"> & { close: () => void };

function PaletteBody({ close, ...props }: BodyProps) {
  const [query, setQuery] = useState("");
  const groups = useGroups(props);
  const found = groups
    .map((group) => ({ ...group, actions: group.actions.filter((action) => fits(action.label, query)) }))
    .filter((group) => group.actions.length > 0);
  const flags = useFlagActions(props.project.id, useDeferredValue(query.trim()));
  const surveys = useSurveyActions(props.project.id, useDeferredValue(query.trim()));
  const experiments = useExperimentActions(props.project.id, useDeferredValue(query.trim()));
  const shown = [
    { title: "Feature flags", actions: flags.actions },
    { title: "Experiments", actions: experiments.actions },
    { title: "Surveys", actions: surveys.actions },
    ...found,
  ].filter((group) => group.actions.length > 0);
  const pending = flags.pending || experiments.pending || surveys.pending;
  const problem = flags.problem ?? experiments.problem ?? surveys.problem;
  return (
    <Command shouldFilter={false} loop label="Search or jump to">
      <div className="flex items-center gap-2.5 border-b px-4">
        <Search aria-hidden="true" className="size-4 shrink-0 text-faint" />
        <Command.Input
          value={query}
          onValueChange={setQuery}
          placeholder="Search flags, experiments, surveys, pages…"
          className="h-12 w-full min-w-0 bg-transparent text-base outline-none max-sm:text-touch"
        />
        {pending ? <Spinner className="text-faint" /> : null}
        <Kbd keys="esc" className="max-sm:hidden" />
      </div>
      <Command.List className="max-h-[min(26rem,60dvh)] overflow-y-auto overscroll-contain p-1.5 scroll-thin">
        {shown.map((group) => (
          <Command.Group
            key={group.title}
            heading={group.title}
            className="[&_[cmdk-group-heading]]:px-2.5 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:font-medium [&_[cmdk-group-heading]]:text-2xs [&_[cmdk-group-heading]]:text-faint"
          >
            {group.actions.map((action) => (
              <ActionRow key={action.id} action={action} close={close} />
            ))}
          </Command.Group>
        ))}
        {shown.length === 0 && !pending ? (
          <p role="status" className="py-8 text-center text-muted text-sm">
            Nothing found for “{query.trim()}”
          </p>
        ) : null}
        {problem ? (
          <p role="status" className="px-2.5 py-2 text-warning-text text-xs">
            {problem}
          </p>
        ) : null}
      </Command.List>
    </Command>
  );
}

function ActionRow({ action, close }: { action: Action; close: () => void }) {
  const Icon = action.icon;
  return (
    <Command.Item
      value={action.id}
      onSelect={() => {
        close();
        action.run();
      }}
      className="flex h-9 cursor-default select-none items-center gap-2.5 rounded-md px-2.5 text-sm data-[selected=true]:bg-hover"
    >
      <Icon aria-hidden="true" className="size-4 shrink-0 text-faint" />
      <span className="min-w-0 flex-1 truncate">{action.label}</span>
      {action.hint ? <span className="min-w-0 shrink truncate text-faint text-xs">{action.hint}</span> : null}
      {action.keys ? <Kbd keys={action.keys} className="max-sm:hidden" /> : null}
    </Command.Item>
  );
}

function useGroups({ project, projects, openShortcuts }: Omit<BodyProps, "close">): Group[] {
  const push = useGuardedPush();
  const { setTheme, signOut, hasApprovals } = useFrame();
  const mayCreate = useMay("feature_flag:write");
  const pages = shownPlaces(hasApprovals).map(
    (place): Action => ({
      id: `page:${place.path}`,
      label: place.label,
      icon: place.icon,
      ...(place.keys ? { keys: place.keys } : {}),
      run: () => push(placeHref(project.id, place.path)),
    }),
  );
  const themes = themeOptions.map(
    (option): Action => ({
      id: `theme:${option.value}`,
      label: `Theme: ${option.label.toLowerCase()}`,
      icon: option.icon,
      run: () => setTheme(option.value),
    }),
  );
  const others = projects.filter((each) => each.id !== project.id);
  const switches = others.map(
    (each): Action => ({
      id: `project:${each.id}`,
      label: `Switch to ${each.name}`,
      icon: Folder,
      run: () => push(placeHref(each.id, "feature_flags")),
    }),
  );
  const create: Action = {
    id: "create:flag",
    label: "Create a feature flag",
    icon: Plus,
    keys: "c",
    run: () => push(placeHref(project.id, "feature_flags/new")),
  };
  const mayAsk = useMay("survey:write");
  const ask: Action = {
    id: "create:survey",
    label: "Create a survey",
    icon: Plus,
    run: () => push(placeHref(project.id, "surveys/new")),
  };
  const mayTry = useMay("experiment:write");
  const plan: Action = {
    id: "create:experiment",
    label: "Create an experiment",
    icon: Plus,
    run: () => push(placeHref(project.id, "experiments/new")),
  };
  const keys: Action = {
    id: "shortcuts",
    label: "Keyboard shortcuts",
    icon: Keyboard,
    keys: "?",
    run: openShortcuts,
  };
  const leave: Action = { id: "sign-out", label: "Sign out", icon: LogOut, run: () => void signOut() };
  return [
    {
      title: "Actions",
      actions: [...(mayCreate ? [create] : []), ...(mayTry ? [plan] : []), ...(mayAsk ? [ask] : [])],
    },
    { title: "Go to", actions: pages },
    { title: "Projects", actions: switches },
    { title: "Preferences", actions: [...themes, keys, leave] },
  ];
}

function useFlagActions(projectId: number, query: string) {
  const push = useGuardedPush();
  const search = useFlagSearch(projectId, query);
  const actions = search.flags.map(
    (flag): Action => ({
      id: `flag:${flag.id}`,
      label: flag.key,
      icon: Flag,
      hint: flag.active ? flag.name : `Inactive${flag.name ? ` · ${flag.name}` : ""}`,
      run: () => push(placeHref(projectId, `feature_flags/${flag.id}`)),
    }),
  );
  return { actions, pending: search.pending, problem: search.problem };
}

function useExperimentActions(projectId: number, query: string) {
  const push = useGuardedPush();
  const search = useExperimentSearch(projectId, query);
  const actions = search.experiments.map((experiment): Action => {
    const draft = experiment.status === "draft";
    return {
      id: `experiment:${experiment.id}`,
      label: experiment.name,
      icon: FlaskConical,
      hint: draft ? "Draft" : experiment.feature_flag_key,
      run: () => push(placeHref(projectId, `experiments/${experiment.id}${draft ? "/edit" : ""}`)),
    };
  });
  return { actions, pending: search.pending, problem: search.problem };
}

function useSurveyActions(projectId: number, query: string) {
  const push = useGuardedPush();
  const search = useSurveySearch(projectId, query);
  const actions = search.surveys.map(
    (survey): Action => ({
      id: `survey:${survey.id}`,
      label: survey.name,
      icon: MessageSquareText,
      hint: survey.archived ? "Archived" : survey.start_date ? survey.description : "Draft",
      run: () => push(placeHref(projectId, `surveys/${survey.id}${survey.start_date ? "" : "/edit"}`)),
    }),
  );
  return { actions, pending: search.pending, problem: search.problem };
}

/** Every word typed begins a word of the label or occurs in it. */
function fits(label: string, query: string): boolean {
  const text = label.toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
