import {
  Bell,
  BookOpen,
  Flag,
  FlaskConical,
  FolderCog,
  GitPullRequest,
  HeartPulse,
  History,
  Inbox,
  KeyRound,
  type LucideIcon,
  MessageSquareText,
  ShieldCheck,
  Users,
} from "lucide-react";
import type { Route } from "next";

export type Destination = {
  label: string;
  icon: LucideIcon;
  /** Below /project/{id}/. */
  path: string;
  /** Other paths that belong to the same place. */
  also?: readonly string[];
  /** Goes there from anywhere. */
  keys?: string;
  /** Shown only in projects with an approval policy or a change request. */
  needsApprovals?: true;
};

/** The sidebar in order. The command palette and the shortcuts are derived from it. */
export const destinations: readonly { title: string | null; places: readonly Destination[] }[] = [
  {
    title: null,
    places: [
      { label: "Inbox", icon: Inbox, path: "inbox", keys: "g i" },
      { label: "Feature flags", icon: Flag, path: "feature_flags", keys: "g f" },
      { label: "Experiments", icon: FlaskConical, path: "experiments", keys: "g e" },
      { label: "Surveys", icon: MessageSquareText, path: "surveys", keys: "g s" },
      { label: "People & cohorts", icon: Users, path: "persons", also: ["cohorts"], keys: "g p" },
      {
        label: "Change requests",
        icon: GitPullRequest,
        path: "change_requests",
        keys: "g r",
        needsApprovals: true,
      },
      { label: "Activity", icon: History, path: "activity", keys: "g a" },
    ],
  },
  {
    title: "Settings",
    places: [
      {
        label: "API keys",
        icon: KeyRound,
        path: "settings/api_keys",
        also: ["settings/sessions"],
        keys: "g k",
      },
      { label: "Project", icon: FolderCog, path: "settings/project", also: ["settings/new_project"] },
      { label: "Approvals", icon: ShieldCheck, path: "settings/approvals" },
      { label: "Notifications", icon: Bell, path: "settings/notifications" },
      {
        label: "Health & data",
        icon: HeartPulse,
        path: "settings/status",
        also: ["settings/sdk_instances"],
        keys: "g h",
      },
      { label: "API reference", icon: BookOpen, path: "api_reference" },
    ],
  },
];

const allPlaces: readonly Destination[] = destinations.flatMap((group) => group.places);

/** The places that a project shows; of all, or of a group. */
export const shownPlaces = (hasApprovals: boolean, places = allPlaces): readonly Destination[] =>
  places.filter((place) => hasApprovals || !place.needsApprovals);

export const placeHref = (projectId: number, path: string): Route => `/project/${projectId}/${path}` as Route;

/** The destination that a path belongs to. */
export function placeOf(pathname: string): Destination | undefined {
  const rest = pathname.replace(/^\/project\/[^/]+\//, "");
  return allPlaces.find((place) =>
    [place.path, ...(place.also ?? [])].some((path) => rest === path || rest.startsWith(`${path}/`)),
  );
}
