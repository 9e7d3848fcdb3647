"use client";

import { useEffect, useMemo, useRef, useState } from "react";
import type { Access } from "#components/feature_flags/flag_actions.ts";
import { useUnsavedGuard } from "#components/ui/unsaved-guard.tsx";
import type { Names } from "#lib/feature_flags/words.ts";
import type { SurveyWritten } from "#lib/surveys/schema.ts";
import type { Building } from "./builder_context.tsx";
import { type FieldProblem, type Part, problemsOf } from "./problems.ts";
import type { SurveyActions } from "./survey_actions.ts";
import { bodyOf, changedFields, draftOfSurvey, type SurveyDraft } from "./survey_draft.ts";
import { firstProblems, useDraft, useLooking, useNames, usePreview, useReport } from "./use_builder.ts";
import { useEditEffects } from "./use_edit_effects.ts";
import { storedBody, useSave } from "./use_save.ts";

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
  /** Milliseconds since 1970, when the page was made. */
  now: number;
};

/** Brings the first control that has a problem into view, and the focus to it. */
function focusProblem() {
  requestAnimationFrame(() => {
    const marked = document.querySelector("main form [aria-invalid='true']");
    marked?.scrollIntoView({ block: "center" });
    if (marked instanceof HTMLElement) marked.focus({ preventScroll: true });
  });
}

const refusalOf = (problems: readonly FieldProblem[]): string =>
  problems.length === 1 ? String(problems[0]?.message) : `${problems.length} things are missing.`;

/** Everything that the builder of one survey knows and can do. */
export function useBuilding(options: BuilderOptions) {
  const { projectId, survey, start, access, actions } = options;
  const [base, setBase] = useState(survey);
  const [first] = useState(() => (survey ? draftOfSurvey(survey) : start));
  if (!first) throw new Error("The builder needs a survey to edit, or one to begin with");
  const { draft, ...changes } = useDraft(() => first);
  const [checked, setChecked] = useState(false);
  const [refused, setRefused] = useState<{ problem: FieldProblem; draft: SurveyDraft }>();
  const [launching, setLaunching] = useState<SurveyWritten>();
  const [news, announce] = useState("");
  const body = useMemo(() => bodyOf(draft), [draft]);
  const baseBody = useMemo(() => (base ? storedBody(base) : bodyOf(first)), [base, first]);
  const dirty = useMemo(() => changedFields(baseBody, body).length > 0, [baseBody, body]);
  const allowLeaving = useUnsavedGuard(dirty);
  const report = useReport(draft);
  const effects = useEditEffects(projectId, base, draft.questions);
  const looking = useLooking(draft, options.part);
  const own = useMemo(() => problemsOf(draft), [draft]);
  const told = refused && refused.draft === draft ? [refused.problem] : [];
  const problems = firstProblems(told, checked ? own : []);

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

  // The page was read again, and nothing is being edited: what it shows is the new state.
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
    news,
    dirty,
    /** Why the last save was refused; null once that is mended. */
    refusal: told[0]?.message ?? (checked && own[0] ? refusalOf(own) : null),
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
