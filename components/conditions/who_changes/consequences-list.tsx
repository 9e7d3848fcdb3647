import { FlaskConical, MessageSquare } from "lucide-react";
import type { Route } from "next";
import { Callout } from "#components/ui/display/callout.tsx";
import { Link } from "#components/ui/link.tsx";
import type { Effects } from "./use-who-changes.ts";

type Consequence = Effects["consequences"][number];
type User = Consequence["user"];

const LOOKS = {
  experiment: { icon: FlaskConical, noun: "Experiment", path: "experiments" },
  survey: { icon: MessageSquare, noun: "Survey", path: "surveys" },
};

const several = (count: number, noun: string) =>
  count === 1 ? `a running ${noun}` : `${count} running ${noun}s`;

/** Names what is interrupted, or else merely affected. */
function titleOf(consequences: readonly Consequence[]): string {
  const users = (of: readonly Consequence[], type: User["type"]) =>
    new Set(of.flatMap(({ user }) => (user.type === type ? [user.id] : []))).size;
  const ending = consequences.filter((each) => each.ends_comparison);
  const others = consequences.filter(({ user }) => !ending.some((each) => each.user.id === user.id));
  const named = (of: readonly Consequence[]) =>
    (["experiment", "survey"] as const)
      .flatMap((type) => (users(of, type) > 0 ? [several(users(of, type), type)] : []))
      .join(" and ");
  const parts = [
    ending.length > 0 && `interrupts ${named(ending)}`,
    others.length > 0 && `affects ${named(others)}`,
  ];
  return `This ${parts.filter(Boolean).join(" and ")}`;
}

type Props = { projectId: string; consequences: readonly Consequence[] };

/** The running experiments and surveys that a change touches, and what it does to each. */
export function ConsequencesNote({ projectId, consequences }: Props) {
  if (consequences.length === 0) return null;
  const ends = consequences.some((each) => each.ends_comparison);
  return (
    <Callout tone={ends ? "danger" : "warning"} title={titleOf(consequences)} live>
      <ConsequencesList projectId={projectId} consequences={consequences} />
    </Callout>
  );
}

/** The same without a frame. */
export function ConsequencesList({ projectId, consequences }: Props) {
  const byUser = Map.groupBy(consequences, ({ user }) => `${user.type} ${user.id} ${user.via?.id ?? ""}`);
  return (
    <ul className="mt-1 flex flex-col gap-1.5">
      {[...byUser].map(([key, [first, ...rest]]) =>
        first ? (
          <li key={key}>
            <UserLink projectId={projectId} user={first.user} />
            {[first, ...rest].map((each) => (
              <p key={each.change}>{each.text}</p>
            ))}
          </li>
        ) : null,
      )}
    </ul>
  );
}

function UserLink({ projectId, user }: { projectId: string; user: User }) {
  const { icon: Icon, noun, path } = LOOKS[user.type];
  return (
    <Link
      href={`/project/${projectId}/${path}/${user.id}` as Route}
      target="_blank"
      className="inline-flex max-w-full items-center gap-1.5 font-medium text-ink hover:underline"
    >
      <Icon aria-hidden="true" className="size-3.5 shrink-0" />
      <span className="sr-only">{noun}: </span>
      <span className="min-w-0 break-words">{user.name}</span>
    </Link>
  );
}
