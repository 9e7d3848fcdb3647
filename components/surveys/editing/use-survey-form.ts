"use client";

import { useEffect, useMemo, useRef, useState } from "react";
import { useForm, useWatch } from "react-hook-form";
import type { SurveyActions } from "#app/project/[project_id]/surveys/survey-actions.ts";
import type { Access } from "#components/kit/access.tsx";
import { changedFields } from "#components/kit/editor/changes.ts";
import type { PlacedProblem } from "#components/kit/editor/json.ts";
import { useKeptDraft } from "#components/kit/editor/use-kept-draft.ts";
import { useNewerVersion } from "#components/kit/editor/use-versions.ts";
import type { Revision } from "#components/kit/propose/revision.ts";
import { type QuestionDraft, savedAs } from "#components/surveys/draft/draft.ts";
import { changesBetween } from "#components/surveys/draft/history.ts";
import { mergeSurveys, withTypedSince } from "#components/surveys/draft/merge.ts";
import { type Part, partAt, problemsIn, resolverFor } from "#components/surveys/draft/problems.ts";
import {
  bodyOf,
  creationOf,
  draftOfBody,
  draftOfSurvey,
  type KeptSurvey,
  patchOf,
  readKept,
  type SurveyBody,
  type SurveyDraft,
  storedBody,
  withPatch,
} from "#components/surveys/draft/survey-draft.ts";
import { creationProposalOf, proposalOf } from "#components/surveys/survey-proposal.ts";
import type { Json } from "#lib/engines/json.ts";
import type { Names } from "#lib/people/conditions/words.ts";
import type { surveyContract } from "#lib/surveys/surveys/contract.ts";
import type { SurveyWritten } from "#lib/surveys/surveys/schema.ts";
import type { Building } from "./builder-context.tsx";
import { surveyDifferences } from "./differences.ts";
import { useEditEffects } from "./use-edit-effects.ts";
import { usePreview } from "./use-preview.ts";
import { useSave } from "./use-save.ts";
import { useUndo } from "./use-undo.ts";

export type SurveyFormOptions = {
  projectId: string;
  /** The survey to edit; null makes a new one. */
  survey: SurveyWritten | null;
  /** An earlier version to open instead of the stored one, and when it was saved. */
  past?: { body: SurveyBody; made_at: string } | null;
  /** A proposed change that is opened again; its fields are in the form. */
  revision?: Revision | undefined;
  /** A proposed launch that is opened again. */
  launchRevision?: Revision | undefined;
  /** What a new one begins with. */
  start?: SurveyDraft | undefined;
  names: Required<Names>;
  access: Access;
  actions: SurveyActions;
  part: Part;
  /** Milliseconds since the epoch, when the page was made. */
  now: number;
};

/** The members that are set; null if none is left of a record that had none. */
function withMembers(json: Json | null, members: Json): Json | null {
  const next = Object.fromEntries(
    Object.entries({ ...json, ...members }).filter(([, value]) => value !== undefined),
  );
  return json === null && Object.keys(next).length === 0 ? null : next;
}

/** The selected question and part of the builder; the part is in the URL. */
function useLooking(
  { questions }: SurveyDraft,
  first: Part,
): Pick<Building, "selected" | "select" | "added" | "part" | "show"> {
  const [{ wanted, added }, setWanted] = useState<{ wanted: string | null; added: string | null }>({
    wanted: questions[0]?.uid ?? null,
    added: null,
  });
  const select = (uid: string | null, isNew = false) => setWanted({ wanted: uid, added: isNew ? uid : null });
  const [part, setPart] = useState(first);
  const place = useRef(0);
  const at = questions.findIndex((question) => question.uid === wanted);
  if (at >= 0) place.current = at;
  // The chosen one was deleted: its neighbour takes its place.
  const near = questions[Math.min(place.current, questions.length - 1)]?.uid ?? null;
  function show(next: Part) {
    setPart(next);
    const url = new URL(window.location.href);
    url.searchParams.set("tab", next);
    window.history.replaceState(window.history.state, "", url);
  }
  return { selected: at >= 0 ? wanted : near, select, added, part, show };
}

/** Names of flags and cohorts, including those picked while editing. */
function useNames(known: Required<Names>): Pick<Building, "names" | "learn"> {
  const [names, setNames] = useState(known);
  return {
    names,
    learn: (kind, id, name) =>
      setNames((before) => ({ ...before, [kind]: new Map([...before[kind], [id, name]]) })),
  };
}

/** Scrolls to the first control with a problem, and focuses it. */
function focusProblem() {
  requestAnimationFrame(() => {
    const marked = document.querySelector("main form [aria-invalid='true']");
    marked?.scrollIntoView({ block: "center" });
    if (marked instanceof HTMLElement) marked.focus({ preventScroll: true });
  });
}

const refusalOf = (problems: readonly PlacedProblem[]): string | null =>
  problems.length > 1 ? `Fix ${problems.length} problems before saving.` : (problems[0]?.message ?? null);

/** The form of a survey: its values, what is shown of them, unsaved state, undo and saving. */
export function useSurveyForm(options: SurveyFormOptions) {
  const { projectId, survey, start, access, actions } = options;
  // The survey as it was when editing began: the base of a save.
  const [base, setBase] = useState(survey);
  const [first] = useState(() => (survey ? draftOfSurvey(survey) : start));
  if (!first) throw new Error("The builder needs a survey to edit, or one to begin with");
  const baseBody = useMemo(() => (base ? storedBody(base) : bodyOf(first)), [base, first]);
  const form = useForm<SurveyDraft>({
    shouldFocusError: false,
    defaultValues: useState(() =>
      options.past
        ? draftOfBody(options.past.body)
        : options.revision
          ? draftOfBody(withPatch(baseBody, options.revision.body))
          : first,
    )[0],
    resolver: useMemo(() => resolverFor(base && baseBody), [base, baseBody]),
  });
  const draft = useWatch({ control: form.control }) as SurveyDraft;
  const [launching, setLaunching] = useState(options.launchRevision && survey ? survey : undefined);
  const [proposing, setProposing] = useState(false);
  const [announcement, announce] = useState("");
  const body = useMemo(() => bodyOf(draft), [draft]);
  const dirty = useMemo(() => changedFields(baseBody, body).length > 0, [baseBody, body]);
  const changeOf = (stored: SurveyWritten) => ({
    ...proposalOf({ projectId, survey: stored, actions }, "change", {
      method: "PATCH",
      body: patchOf(baseBody, body),
    }),
    differences: surveyDifferences(baseBody, body, options.names),
  });
  const { offer, leave } = useKeptDraft<KeptSurvey>({
    record: `project/${projectId}/surveys/${survey?.id ?? "new"}${options.revision ? `/${options.revision.id}` : ""}`,
    value: useMemo(() => ({ body, base }), [body, base]),
    dirty,
    read: (stored) => readKept(stored, survey),
    onTake(kept) {
      setBase(kept.base);
      put(draftOfBody(kept.body));
    },
  });
  const effects = useEditEffects(projectId, base, draft.questions);
  const looking = useLooking(draft, options.part);
  const { clearErrors } = form;
  const { errors, isSubmitted } = form.formState;
  const problems = problemsIn(errors);

  function put(values: Partial<SurveyDraft>) {
    form.setValues(values, { shouldDirty: true });
    // Once something was found wrong, every change is checked again.
    if (isSubmitted) void form.trigger(Object.keys(values) as (keyof SurveyDraft)[]);
  }
  function showPlace([field, place]: PlacedProblem["path"], draft: SurveyDraft) {
    const uid = field === "questions" ? draft.questions[Number(place)]?.uid : undefined;
    if (uid) looking.select(uid);
    const part = partAt([String(field)]);
    const isThere = looking.part === part || (part === "questions" && looking.part === "flow");
    if (part && looking.part !== "json" && !isThere) looking.show(part);
  }
  const { undo, forget } = useUndo(draft, (state, instead) => {
    put(state);
    const [change] = changesBetween(instead, state);
    if (change) showPlace(change.path, state);
  });
  function begin(next: SurveyDraft) {
    const place = draft.questions.findIndex((question) => question.uid === looking.selected);
    form.reset(next);
    forget(next);
    looking.select(next.questions[place]?.uid ?? next.questions[0]?.uid ?? null);
  }
  /** Goes on from another version of the survey. */
  function adopt(version: SurveyWritten) {
    setBase(version);
    begin(draftOfSurvey(version));
  }
  /** Goes on from somebody else's version, with the changes made here. */
  function rebase(onto: SurveyWritten, merged: SurveyBody): SurveyDraft {
    const next = draftOfBody(merged);
    setBase(onto);
    put(next);
    return next;
  }
  /** Goes on from what was saved, with what has been typed since it was sent. */
  function goOnFrom(saved: SurveyWritten, sent: SurveyDraft) {
    const next = { ...draftOfSurvey(saved), questions: savedAs(sent.questions, saved.questions ?? []) };
    const typed = withTypedSince(sent, next, form.getValues());
    setBase(saved);
    form.reset(next);
    forget(next);
    if (changedFields(next, typed).length > 0) put(typed);
  }
  /** What was edited is in a change request now. */
  function leaveForRequest() {
    leave();
    if (base) begin(draftOfSurvey(base));
  }
  function showProblem(problem: PlacedProblem | undefined) {
    if (!problem) return;
    showPlace(problem.path, draft);
    focusProblem();
  }
  const newer = useNewerVersion<typeof surveyContract.retrieve, SurveyWritten>(
    "/api/projects/{project_id}/surveys/{id}/",
    { params: { project_id: projectId, id: base?.id ?? "" } },
    base,
    (edited, current) => changedFields(storedBody(edited), storedBody(current)).length > 0,
  );
  const latestDirty = useRef(dirty);
  latestDirty.current = dirty;
  const saving = useSave({
    projectId,
    base,
    draft,
    actions,
    allowLeaving: leave,
    isDirty: () => latestDirty.current,
    onSaved: goOnFrom,
    onTake: adopt,
    onRebase: rebase,
    onProposed: leaveForRequest,
    onProblem(problem) {
      const { path, message } = problem;
      form.setError(path.join(".") as "root", { type: "api", message });
      showProblem(problem);
    },
  });

  // The page was read again: what somebody else has saved is shown, unless something is being edited.
  const latest = useRef(survey);
  useEffect(() => {
    if (!survey || survey === latest.current) return;
    latest.current = survey;
    if (changedFields(baseBody, storedBody(survey)).length === 0) setBase(survey);
    else if (!dirty) adopt(survey);
  });

  // What the API said about the survey as a whole concerned the state that was sent.
  useEffect(() => {
    if (draft) clearErrors("root");
  }, [draft, clearErrors]);

  /** Whether the API would take the form; otherwise the first problem is shown. */
  async function isComplete(): Promise<boolean> {
    let isValid = false;
    await form.handleSubmit(
      () => {
        isValid = true;
      },
      (found) => showProblem(problemsIn(found)[0]),
    )();
    return isValid;
  }
  const save = async (): Promise<SurveyWritten | null> => ((await isComplete()) ? saving.save() : null);
  const propose = async () => setProposing(await isComplete());
  const building: Building = {
    projectId,
    survey: base,
    draft,
    put,
    putMembers: (of, members) => put({ [of]: withMembers(form.getValues(of), members) }),
    changeQuestions: (next: (questions: QuestionDraft[]) => QuestionDraft[]) =>
      put({ questions: next(form.getValues("questions")) }),
    undo,
    ...looking,
    ...usePreview(draft),
    ...useNames(options.names),
    effects,
    problems,
    readOnly: !access.may_write,
    announce,
  };
  return {
    form,
    building,
    announcement,
    dirty,
    /** What was left unsaved here, if anything was. */
    offer,
    /** What somebody else has saved meanwhile; null if nobody has. */
    newer,
    /** Goes on from that, with the changes made here; asks where both changed the same. */
    loadNewer() {
      if (!newer || !base) return;
      const { merged, meets } = mergeSurveys(baseBody, storedBody(newer), body);
      if (meets) saving.askAbout({ base, current: newer });
      else rebase(newer, merged);
    },
    /** Why the last save failed; null once fixed. */
    refusal: refusalOf(problems),
    saving,
    save,
    propose,
    /** The edits, or the new survey, as a proposal, while that is open. */
    proposed: proposing
      ? {
          ...(base ? changeOf(base) : creationProposalOf({ projectId, actions }, creationOf(body))),
          revision: options.revision,
          onProposed: leaveForRequest,
          onClose: () => setProposing(false),
        }
      : null,
    discard: base ? () => begin(draftOfSurvey(base)) : undefined,
    launching,
    closeLaunch: () => setLaunching(undefined),
    /** Saves what is unsaved, then asks about the launch. */
    async askLaunch() {
      const stored = dirty || !base ? await save() : base;
      if (stored && base) setLaunching(stored);
    },
  };
}
