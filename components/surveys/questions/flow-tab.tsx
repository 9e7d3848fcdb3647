"use client";

import { Maximize2 } from "lucide-react";
import { useMemo, useState } from "react";
import { END, type Target } from "#components/surveys/draft/draft.ts";
import { setTarget } from "#components/surveys/draft/edit-draft.ts";
import { questionName } from "#components/surveys/draft/flow-words.ts";
import { seenOf } from "#components/surveys/draft/replay.ts";
import { useBuilder } from "#components/surveys/editing/builder-context.tsx";
import { END_NODE, flowOf } from "#components/surveys/graph/flow.ts";
import { FlowPicture } from "#components/surveys/graph/flow-picture.tsx";
import { Button } from "#components/ui/button.tsx";
import { Card } from "#components/ui/display/card.tsx";
import { Segmented } from "#components/ui/form/segmented.tsx";
import { Dialog } from "#components/ui/overlay/dialog.tsx";
import { BranchingField } from "./branching-field.tsx";
import { PathVerdict } from "./path-problems.tsx";

const VIEWS = [
  { value: "graph", label: "Graph" },
  { value: "list", label: "List" },
] as const;

/** Where answers lead, as a graph with draggable edges, and as a list for the keyboard. */
export function FlowTab() {
  const { draft, readOnly } = useBuilder();
  const [view, setView] = useState<"graph" | "list">("graph");
  const [large, setLarge] = useState(false);
  if (draft.questions.length === 0)
    return (
      <p className="rounded-lg border border-line-strong border-dashed px-4 py-10 text-center text-muted text-sm">
        Add a question to see the flow.
      </p>
    );
  return (
    <div className="flex flex-col gap-4">
      <PathVerdict />
      <div className="flex flex-wrap items-center justify-between gap-2">
        <p className="text-muted text-xs max-sm:hidden">
          {readOnly || view === "list"
            ? "Every question and where its answers lead."
            : "Drag the dot of an answer, or the head of an arrow, onto another question."}
        </p>
        <div className="flex items-center gap-2">
          {view === "graph" ? (
            <Button size="sm" variant="ghost" icon={Maximize2} onClick={() => setLarge(true)}>
              Enlarge
            </Button>
          ) : null}
          <Segmented
            label="View of the flow"
            size="sm"
            value={view}
            options={VIEWS}
            onValueChange={setView}
          />
        </div>
      </div>
      {view === "graph" ? <Graph /> : null}
      {view === "list" ? <RuleList /> : <ChosenRules />}
      <Dialog open={large} onOpenChange={setLarge} title="Flow of the survey" size="xl">
        <Graph height="min(60vh, 44rem)" />
      </Dialog>
    </div>
  );
}

function Graph({ height }: { height?: string }) {
  const { draft, report, replay, selected, select, jumpTo, changeQuestions, readOnly, announce } =
    useBuilder();
  const { questions } = draft;
  const flow = useMemo(() => {
    const taken = replay.standing.at === "end" ? [...seenOf(replay), END_NODE] : seenOf(replay);
    return flowOf(questions, { report, taken });
  }, [questions, report, replay]);
  function lead(from: string, port: string, to: string) {
    const target: Target = to === END_NODE ? END : { to: "question", uid: to };
    changeQuestions((each) => setTarget(each, from, port === "all" ? null : port, target));
    announce(`Now leads to ${to === END_NODE ? "the end" : questionName(questions, to)}`);
  }
  return (
    <FlowPicture
      flow={flow}
      label="Flow of the survey"
      {...(height && { height })}
      selected={selected}
      onSelect={(uid) => {
        select(uid);
        jumpTo(uid);
      }}
      onLead={readOnly ? undefined : lead}
    />
  );
}

/** The rules of the question that was pressed in the graph. */
function ChosenRules() {
  const { draft, selected } = useBuilder();
  const question = draft.questions.find((each) => each.uid === selected);
  if (!question) return null;
  return (
    <Card title={questionName(draft.questions, question.uid)} description="Where its answers lead">
      <BranchingField question={question} />
    </Card>
  );
}

function RuleList() {
  const { draft } = useBuilder();
  return (
    <ol aria-label="Questions and where their answers lead" className="flex flex-col gap-3">
      {draft.questions.map((question) => (
        <li key={question.uid}>
          <Card title={questionName(draft.questions, question.uid)}>
            <BranchingField question={question} />
          </Card>
        </li>
      ))}
    </ol>
  );
}
