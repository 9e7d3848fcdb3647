"use client";

import { CircleX, Eye } from "lucide-react";
import { useState } from "react";
import { FormProvider } from "react-hook-form";
import { ChangedMeanwhile } from "#components/kit/editor/changed-meanwhile.tsx";
import { ConflictDialog } from "#components/kit/editor/conflict-dialog.tsx";
import { DifferencesList } from "#components/kit/editor/differences-list.tsx";
import { DraftNote } from "#components/kit/editor/draft-note.tsx";
import { SaveBar } from "#components/kit/editor/save-bar.tsx";
import { ProposeButton } from "#components/kit/propose/propose-button.tsx";
import { effectsSummary } from "#components/surveys/draft/edit-effects.ts";
import { mergeSurveys } from "#components/surveys/draft/merge.ts";
import { type Part, partAt } from "#components/surveys/draft/problems.ts";
import { bodyOf, storedBody } from "#components/surveys/draft/survey-draft.ts";
import { BuilderProvider, useBuilder } from "#components/surveys/editing/builder-context.tsx";
import { surveyDifferences } from "#components/surveys/editing/differences.ts";
import type { Conflict, Saving } from "#components/surveys/editing/use-save.ts";
import { type SurveyFormOptions, useSurveyForm } from "#components/surveys/editing/use-survey-form.ts";
import { PathVerdict } from "#components/surveys/questions/path-problems.tsx";
import { QuestionEditor } from "#components/surveys/questions/question-editor.tsx";
import { later } from "#components/ui/after-page.ts";
import { Button } from "#components/ui/button.tsx";
import { Callout } from "#components/ui/display/callout.tsx";
import { RelativeTime } from "#components/ui/display/relative-time.tsx";
import { Dialog } from "#components/ui/overlay/dialog.tsx";
import { TabPanel, Tabs } from "#components/ui/tabs.tsx";
import { AboutFields } from "./about-fields.tsx";
import { BuilderHeader } from "./builder-header.tsx";

const Preview = later(async () => (await import("./preview/preview.tsx")).Preview);

const QuestionList = later(
  async () => (await import("#components/surveys/questions/question-list.tsx")).QuestionList,
);

const JsonTab = later(async () => (await import("./json-tab.tsx")).JsonTab);

const FlowTab = later(async () => (await import("#components/surveys/questions/flow-tab.tsx")).FlowTab);

const ScheduleTab = later(
  async () => (await import("#components/surveys/audience/schedule-tab.tsx")).ScheduleTab,
);

const AudienceTab = later(
  async () => (await import("#components/surveys/audience/audience-tab.tsx")).AudienceTab,
);

const AppearanceTab = later(
  async () => (await import("#components/surveys/appearance/appearance-tab.tsx")).AppearanceTab,
);

const ProposeDialog = later(
  async () => (await import("#components/kit/propose/propose-dialog.tsx")).ProposeDialog,
);

const LaunchDialog = later(async () => (await import("./launch-dialog.tsx")).LaunchDialog);

/** Somebody changed the survey while it was edited here. */
function SurveyConflictDialog({ conflict, saving }: { conflict: Conflict; saving: Saving }) {
  const { draft, names } = useBuilder();
  const [base, current] = [storedBody(conflict.base), storedBody(conflict.current)];
  const { merged, meets } = mergeSurveys(base, current, bodyOf(draft));
  return (
    <ConflictDialog
      title="Somebody else changed this survey"
      ways={saving}
      saveLabel={meets ? undefined : "Save mine too"}
      theirs={<DifferencesList label="Their changes" differences={surveyDifferences(base, current, names)} />}
      mine={<DifferencesList label="Your changes" differences={surveyDifferences(current, merged, names)} />}
    />
  );
}

/** Creates or edits a survey: questions, flow, audience, schedule, and appearance. */
export function Builder(props: SurveyFormOptions) {
  const surveyForm = useSurveyForm(props);
  const { form, building, announcement, saving, dirty, save } = surveyForm;
  const { readOnly } = building;
  return (
    <FormProvider {...form}>
      <BuilderProvider value={building}>
        <BuilderHeader
          access={props.access}
          actions={props.actions}
          now={props.now}
          onLaunch={surveyForm.askLaunch}
          dirty={dirty}
        />
        <form
          noValidate
          aria-label="Survey"
          onSubmit={(event) => {
            // Submit events of forms in dialogs bubble up to here.
            if (event.target !== event.currentTarget) return;
            event.preventDefault();
            if (!readOnly) void (props.revision ? surveyForm.propose() : save());
          }}
          className="flex flex-col gap-4"
        >
          {readOnly ? null : <DraftNote offer={surveyForm.offer} />}
          {surveyForm.newer && !readOnly ? (
            <ChangedMeanwhile
              noun="survey"
              newer={{ last_modified_by: null, updated_at: null }}
              onLoad={surveyForm.loadNewer}
            />
          ) : null}
          {props.past && dirty ? (
            <Callout
              title={
                <>
                  This is the survey as of <RelativeTime date={props.past.made_at} />
                </>
              }
            >
              {readOnly
                ? "The stored survey has changed since."
                : "Save to restore this version. Discard to return to the stored one."}
            </Callout>
          ) : null}
          <AboutFields />
          <Parts />
          {readOnly ? null : <BuilderBar surveyForm={surveyForm} isRevision={props.revision !== undefined} />}
        </form>
        <span aria-live="polite" className="sr-only">
          {announcement}
        </span>
        {surveyForm.proposed ? <ProposeDialog {...surveyForm.proposed} /> : null}
        {saving.conflict ? <SurveyConflictDialog conflict={saving.conflict} saving={saving} /> : null}
        {surveyForm.launching ? (
          <LaunchDialog
            projectId={props.projectId}
            survey={surveyForm.launching}
            actions={props.actions}
            revision={props.launchRevision}
            onClose={surveyForm.closeLaunch}
          />
        ) : null}
      </BuilderProvider>
    </FormProvider>
  );
}

type BarProps = { surveyForm: ReturnType<typeof useSurveyForm>; isRevision: boolean };

/** Saves the survey, or proposes the edits. */
function BuilderBar({ surveyForm, isRevision }: BarProps) {
  const { building, dirty, saving, refusal } = surveyForm;
  const { survey, effects } = building;
  return (
    <SaveBar
      isNew={survey === null}
      label={isRevision ? "Revise request…" : survey ? "Save changes" : "Save as a draft"}
      shortcut={{ label: survey ? "Save changes" : "Save as a draft", group: "Surveys" }}
      dirty={dirty}
      saving={saving.saving}
      refusal={refusal}
      notes={
        survey === null
          ? ["Nobody is asked until you launch it."]
          : dirty && effects.isCurrent && effects.found
            ? effectsSummary(effects.found)
            : []
      }
      onDiscard={surveyForm.discard}
    >
      {(survey === null || dirty) && !isRevision ? (
        <ProposeButton onClick={() => void surveyForm.propose()} />
      ) : null}
    </SaveBar>
  );
}

const PARTS: { value: Part; label: string }[] = [
  { value: "questions", label: "Questions" },
  { value: "flow", label: "Flow" },
  { value: "audience", label: "Audience" },
  { value: "schedule", label: "Schedule" },
  { value: "appearance", label: "Appearance" },
  { value: "json", label: "JSON" },
];

const WITH_PREVIEW: readonly Part[] = ["questions", "flow", "appearance"];

function Parts() {
  const { part, show, problems, report, draft } = useBuilder();
  const wrong = (value: Part) =>
    problems.some(({ path }) => partAt(path) === value) ||
    (value === "flow" && report.problems.some((problem) => problem.severity === "error"));
  const tabs = PARTS.map((each) => ({
    ...each,
    ...(each.value === "questions" && { count: draft.questions.length }),
    ...(wrong(each.value) && {
      icon: <CircleX aria-label="has an error" className="size-3.5 text-danger-text" />,
    }),
  }));
  return (
    <Tabs label="Survey sections" tabs={tabs} value={part} onValueChange={(next) => show(next as Part)}>
      <div
        className={
          WITH_PREVIEW.includes(part)
            ? "grid items-start gap-x-6 gap-y-4 xl:grid-cols-[minmax(0,1fr)_22rem]"
            : undefined
        }
      >
        <div className="min-w-0">
          <TabPanel value="questions">
            <QuestionsTab />
          </TabPanel>
          <TabPanel value="flow">
            <FlowTab />
          </TabPanel>
          <TabPanel value="audience">
            <AudienceTab />
          </TabPanel>
          <TabPanel value="schedule">
            <ScheduleTab />
          </TabPanel>
          <TabPanel value="appearance">
            <AppearanceTab />
          </TabPanel>
          <TabPanel value="json">
            <JsonTab />
          </TabPanel>
        </div>
        {WITH_PREVIEW.includes(part) ? <PreviewPane /> : null}
      </div>
    </Tabs>
  );
}

function QuestionsTab() {
  return (
    <div className="grid items-start gap-x-5 gap-y-5 md:grid-cols-[minmax(0,16.5rem)_minmax(0,1fr)]">
      <div className="flex flex-col gap-4 md:sticky md:top-4">
        <QuestionList />
        <PathVerdict />
      </div>
      <QuestionEditor />
    </div>
  );
}

/** Next to the editor if there is room, else behind a button. */
function PreviewPane() {
  const [open, setOpen] = useState(false);
  return (
    <>
      <div className="pt-4 max-xl:hidden xl:sticky xl:top-0">
        <Preview />
      </div>
      <Button
        icon={Eye}
        className="fixed right-4 bottom-18 z-20 shadow-pop xl:hidden"
        onClick={() => setOpen(true)}
      >
        Preview
      </Button>
      <Dialog open={open} onOpenChange={setOpen} title="Try it yourself" size="sm">
        <Preview />
      </Dialog>
    </>
  );
}
