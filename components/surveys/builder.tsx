"use client";

import { CircleX, Eye } from "lucide-react";
import { useState } from "react";
import { Button } from "#components/ui/button.tsx";
import { Dialog } from "#components/ui/dialog.tsx";
import { TabPanel, Tabs } from "#components/ui/tabs.tsx";
import { AboutFields } from "./about_fields.tsx";
import { AppearanceTab } from "./appearance_tab.tsx";
import { AudienceTab } from "./audience_tab.tsx";
import { BuilderProvider, useBuilder } from "./builder_context.tsx";
import { BuilderHeader } from "./builder_header.tsx";
import { SurveyConflictDialog } from "./conflict_dialog.tsx";
import { effectsSummary } from "./edit_effects.ts";
import { FlowTab } from "./flow_tab.tsx";
import { JsonTab } from "./json_tab.tsx";
import { LaunchDialog } from "./launch_dialog.tsx";
import { PathVerdict } from "./path_problems.tsx";
import { Preview } from "./preview/preview.tsx";
import type { Part } from "./problems.ts";
import { QuestionEditor } from "./question_editor.tsx";
import { QuestionList } from "./question_list.tsx";
import { SaveBar } from "./save_bar.tsx";
import { ScheduleTab } from "./schedule_tab.tsx";
import { type BuilderOptions, useBuilding } from "./use_building.ts";

/** Makes or edits a survey: its questions, their flow, whom it asks, when, and how it looks. */
export function Builder(props: BuilderOptions) {
  const { building, news, saving, dirty, refusal, save, launching, closeLaunch, askLaunch, discard } =
    useBuilding(props);
  const { survey, readOnly, effects } = building;
  return (
    <BuilderProvider value={building}>
      <BuilderHeader
        access={props.access}
        actions={props.actions}
        now={props.now}
        onLaunch={askLaunch}
        dirty={dirty}
      />
      <form
        noValidate
        aria-label="Survey"
        onSubmit={(event) => {
          // Dialogs opened from here have forms of their own, whose events arrive here too.
          if (event.target !== event.currentTarget) return;
          event.preventDefault();
          if (!readOnly) void save();
        }}
        className="flex flex-col gap-4"
      >
        <AboutFields />
        <Parts />
        {readOnly ? null : (
          <SaveBar
            isNew={survey === null}
            dirty={dirty}
            saving={saving.saving}
            refusal={refusal}
            effects={effects.isCurrent && effects.found ? effectsSummary(effects.found) : []}
            onDiscard={discard}
          />
        )}
      </form>
      <span aria-live="polite" className="sr-only">
        {news}
      </span>
      {saving.conflict ? <SurveyConflictDialog conflict={saving.conflict} saving={saving} /> : null}
      {launching ? (
        <LaunchDialog
          projectId={props.projectId}
          survey={launching}
          actions={props.actions}
          onClose={closeLaunch}
        />
      ) : null}
    </BuilderProvider>
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
    problems.some((problem) => problem.part === value) ||
    (value === "flow" && report.problems.some((problem) => problem.severity === "error"));
  const tabs = PARTS.map((each) => ({
    ...each,
    ...(each.value === "questions" && { count: draft.questions.length }),
    ...(wrong(each.value) && {
      icon: <CircleX aria-label="has a mistake" className="size-3.5 text-danger-text" />,
    }),
  }));
  return (
    <Tabs label="Parts of the survey" tabs={tabs} value={part} onValueChange={(next) => show(next as Part)}>
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

/** Beside the editor where there is room, behind a button where there is none. */
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
      <Dialog open={open} onOpenChange={setOpen} title="Answer it yourself" size="sm">
        <Preview />
      </Dialog>
    </>
  );
}
