"use client";

import { useEffect, useMemo, useRef, useState } from "react";
import type { SurveyActions } from "#app/project/[project_id]/surveys/survey-actions.ts";
import type { Access } from "#components/kit/access.tsx";
import { changedFields } from "#components/kit/editor/changes.ts";
import { useUnsavedGuard } from "#components/kit/editor/unsaved-guard.tsx";
import { type FieldProblem, type Part, problemsOf } from "#components/surveys/draft/problems.ts";
import { bodyOf, draftOfSurvey, type SurveyDraft } from "#components/surveys/draft/survey-draft.ts";
import type { Names } from "#lib/people/conditions/words.ts";
import type { SurveyWritten } from "#lib/surveys/surveys/schema.ts";
import type { Building } from "./builder-context.tsx";
import { firstProblems, useDraft, useLooking, useNames, usePreview, useReport } from "./use-builder.ts";
import { useEditEffects } from "./use-edit-effects.ts";
import { storedBody, useSave } from "./use-save.ts";

export type BuilderOptions = {
  projectId: string;
  /** The survey to edit; null makes a new one. */
  survey: SurveyWritten | null;
  /** What a new one begins with. */
  start?: SurveyDraft | undefined;
  names: Required<Names>;
  access: Access;
  actions: SurveyActions;
  part: Part;
  /** Milliseconds since the epoch, when the page was made. */
  now: number;
};

/** Scrolls to the first control with a problem, and focuses it. */
function focusProblem() {
  requestAnimationFrame(() => {
    const marked = document.querySelector("main form [aria-invalid='true']");
    marked?.scrollIntoView({ block: "center" });
    if (marked instanceof HTMLElement) marked.focus({ preventScroll: true });
  });
}

const refusalOf = (problems: readonly FieldProblem[]): string =>
  problems.length === 1 ? String(problems[0]?.message) : `Fix ${problems.length} problems before saving.`;

/** The state and actions of the builder. */
export function useBuilding(options: BuilderOptions) {
  const { projectId, survey, start, access, actions } = options;
  const [base, setBase] = useState(survey);
  const [first] = useState(() => (survey ? draftOfSurvey(survey) : start));
  if (!first) throw new Error("The builder needs a survey to edit, or one to begin with");
  const { draft, ...changes } = useDraft(() => first);
  const [checked, setChecked] = useState(false);
  const [refused, setRefused] = useState<{ problem: FieldProblem; draft: SurveyDraft }>();
  const [launching, setLaunching] = useState<SurveyWritten>();
  const [announcement, announce] = useState("");
  const body = useMemo(() => bodyOf(draft), [draft]);
  const baseBody = useMemo(() => (base ? storedBody(base) : bodyOf(first)), [base, first]);
  const dirty = useMemo(() => changedFields(baseBody, body).length > 0, [baseBody, body]);
  const allowLeaving = useUnsavedGuard(dirty);
  const report = useReport(draft);
  const effects = useEditEffects(projectId, base, draft.questions);
  const looking = useLooking(draft, options.part);
  const own = useMemo(() => problemsOf(draft), [draft]);
  const shown = refused && refused.draft === draft ? [refused.problem] : [];
  const problems = firstProblems(shown, checked ? own : []);

  function adopt(saved: SurveyWritten) {
    const place = draft.questions.findIndex((question) => question.uid === looking.selected);
    const next = draftOfSurvey(saved);
    setBase(saved);
    changes.change(() => next);
    looking.select(next.questions[place]?.uid ?? next.questions[0]?.uid ?? null);
    setChecked(false);
    setRefused(undefined);
  }
  function showProblem(problem: FieldProblem) {
    setRefused({ problem, draft });
    if (problem.uid) looking.select(problem.uid);
    if (looking.part !== "json") looking.show(problem.part);
    focusProblem();
  }
  const saving = useSave({
    projectId,
    base,
    draft,
    actions,
    allowLeaving,
    onSaved: adopt,
    onProblem: showProblem,
  });

  // The page was reloaded and there are no edits: show the new state.
  const latest = useRef(survey);
  useEffect(() => {
    if (!survey || survey === latest.current) return;
    latest.current = survey;
    if (dirty) return;
    setBase(survey);
    changes.change(() => draftOfSurvey(survey));
  }, [survey, dirty, changes.change]);

  async function save(): Promise<SurveyWritten | null> {
    setChecked(true);
    const found = own[0];
    if (found) {
      if (found.uid) looking.select(found.uid);
      if (looking.part !== "json") looking.show(found.part);
      focusProblem();
      return null;
    }
    return saving.save();
  }
  const building: Building = {
    projectId,
    survey: base,
    draft,
    ...changes,
    ...looking,
    ...usePreview(draft, report),
    ...useNames(options.names),
    report,
    effects,
    problems,
    readOnly: !access.may_write,
    announce,
  };
  return {
    building,
    announcement,
    dirty,
    /** Why the last save failed; null once fixed. */
    refusal: shown[0]?.message ?? (checked && own[0] ? refusalOf(own) : null),
    saving,
    save,
    discard: base ? () => changes.change(() => draftOfSurvey(base)) : undefined,
    launching,
    closeLaunch: () => setLaunching(undefined),
    /** Saves what is unsaved, then asks about the launch. */
    async askLaunch() {
      const stored = dirty || !base ? await save() : base;
      if (stored && base) setLaunching(stored);
    },
  };
}
