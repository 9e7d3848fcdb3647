import {
  ArrowRight,
  Gauge,
  type LucideIcon,
  MessageCircle,
  MessagesSquare,
  Plus,
  Smile,
  Target,
} from "lucide-react";
import type { Route } from "next";
import type { Access } from "#components/kit/access.tsx";
import { TEMPLATES } from "#components/surveys/draft/templates.ts";
import { ButtonLink } from "#components/ui/button.tsx";
import { Link } from "#components/ui/link.tsx";
import { TextLink } from "#components/ui/text-link.tsx";

const ICONS: Record<string, LucideIcon> = {
  nps: Gauge,
  csat: Smile,
  ces: Target,
  open: MessageCircle,
  pmf: MessagesSquare,
};

type Props = { projectId: string; access: Access /** Surveys that were archived. */; archived: number };

/** The empty state: what surveys are for, and templates. */
export function EmptySurveys({ projectId, access, archived }: Props) {
  const base = `/project/${projectId}/surveys`;
  return (
    <div className="rounded-xl border border-line-strong border-dashed p-5 sm:p-10">
      <div className="mx-auto max-w-4xl">
        <h2 className="text-balance font-semibold text-xl">Ask the right person the right question</h2>
        <p className="mt-1.5 max-w-2xl text-pretty text-muted text-sm">
          Show a survey where and to whom you choose, with a follow-up for each answer. Start with one of
          these templates: they are complete, and you can change everything.
        </p>
        <TemplateCards projectId={projectId} access={access} />
        {access.may_write ? (
          <div className="mt-6 flex flex-wrap items-center gap-x-4 gap-y-2">
            <ButtonLink href={`${base}/new?template=blank` as Route} variant="primary" icon={Plus}>
              Start from scratch
            </ButtonLink>
            {archived > 0 ? (
              <TextLink href={`${base}?status=archived` as Route} className="text-sm">
                {`See ${archived} archived ${archived === 1 ? "survey" : "surveys"}`}
              </TextLink>
            ) : null}
          </div>
        ) : null}
      </div>
    </div>
  );
}

/** The templates as cards that lead to the builder. */
export function TemplateCards({ projectId, access }: Pick<Props, "projectId" | "access">) {
  return (
    <ul aria-label="Templates" className="mt-6 grid gap-3 sm:grid-cols-2 lg:grid-cols-3">
      {TEMPLATES.map((template) => {
        const Icon = ICONS[template.id] ?? MessageCircle;
        const face = (
          <>
            <span className="flex items-center gap-2">
              <Icon aria-hidden="true" className="size-4 shrink-0 text-accent-text" />
              <span className="min-w-0 flex-1 font-medium text-sm">{template.title}</span>
              {access.may_write ? (
                <ArrowRight
                  aria-hidden="true"
                  className="size-3.5 text-faint opacity-0 transition-opacity group-hover:opacity-100 group-focus-visible:opacity-100"
                />
              ) : null}
            </span>
            <span className="mt-1.5 text-pretty text-muted text-xs">{template.text}</span>
            <span className="mt-2 text-2xs text-faint">
              {template.questions.length} questions
              {template.questions.some((question) => question.branching) ? " · branching" : ""}
            </span>
          </>
        );
        const look = "flex h-full flex-col rounded-lg border bg-surface p-3.5 shadow-card";
        return (
          <li key={template.id}>
            {access.may_write ? (
              <Link
                href={`/project/${projectId}/surveys/new?template=${template.id}` as Route}
                className={`${look} group hover:border-accent-line hover:bg-accent-soft/40`}
              >
                {face}
              </Link>
            ) : (
              <div className={look}>{face}</div>
            )}
          </li>
        );
      })}
    </ul>
  );
}
