"use client";

import { useQueryClient } from "@tanstack/react-query";
import { CircleCheck, CircleX, X } from "lucide-react";
import { useState } from "react";
import { Button } from "#components/ui/button.tsx";
import { Callout } from "#components/ui/callout.tsx";
import { Field } from "#components/ui/field.tsx";
import { IconButton } from "#components/ui/icon-button.tsx";
import { Input } from "#components/ui/input.tsx";
import { toast } from "#components/ui/toaster.tsx";
import type { TestCaseCreate, TestCaseResult } from "#lib/feature_flags/test_cases_contract.ts";
import { type Access, attempt, type FlagActions } from "./flag_actions.ts";
import { valueInWords } from "./outcome_words.ts";
import { useTestCases } from "./use_test_cases.ts";

type Proposed = { active: boolean; filters: object };
type Props = { projectId: string; flagId: number; proposed: Proposed; access: Access; actions: FlagActions };

/** What certain people have to get, and whether they would as the flag stands in the form. */
export function TestCases({ projectId, flagId, proposed, access, actions }: Props) {
  const { data, error } = useTestCases(projectId, flagId, proposed);
  const queries = useQueryClient();
  if (error) return <p className="text-warning-text text-xs">{error.message}</p>;
  if (!data || data.results.length === 0) return null;
  async function drop(result: TestCaseResult) {
    const dropped = await attempt(() => actions.dropTestCase(projectId, flagId, result.id));
    if (!dropped.ok) toast.error(`${result.name} was not dropped`, { description: dropped.error.detail });
    await queries.invalidateQueries({ queryKey: ["flag-test-cases", projectId, flagId] });
  }
  return (
    <section aria-label="Test cases" className="flex flex-col gap-1.5 border-t pt-3">
      <h3 className="flex justify-between font-medium text-sm">
        Test cases
        <span className="tabular font-normal text-muted text-xs">
          {data.failed === 0 ? `all ${data.passed} pass` : `${data.failed} of ${data.results.length} fail`}
        </span>
      </h3>
      <ul className="flex flex-col">
        {data.results.map((result) => (
          <li key={result.id} className="flex items-center gap-2 text-xs">
            <Sign passed={result.passed} />
            <span className="min-w-0 flex-1 break-words">
              {result.name} <Verdict result={result} />
            </span>
            <IconButton
              size="sm"
              variant="ghost"
              icon={X}
              label={`Drop the test case ${result.name}`}
              disabled={!access.may_write}
              onClick={() => void drop(result)}
            />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Sign({ passed }: { passed: boolean }) {
  return passed ? (
    <CircleCheck aria-label="Passes" className="size-4 shrink-0 text-success-text" />
  ) : (
    <CircleX aria-label="Fails" className="size-4 shrink-0 text-danger-text" />
  );
}

function Verdict({ result }: { result: TestCaseResult }) {
  if (result.passed) return <span className="text-faint">gets {valueInWords(result.expected)}</span>;
  return (
    <span className="text-danger-text">
      must get {valueInWords(result.expected)}, would get {valueInWords(result.value)}
    </span>
  );
}

/** Says before a save which test cases it would break. */
export function BrokenCases({
  projectId,
  flagId,
  proposed,
}: Pick<Props, "projectId" | "flagId" | "proposed">) {
  const { data } = useTestCases(projectId, flagId, proposed);
  const broken = data?.results.filter((result) => !result.passed) ?? [];
  if (broken.length === 0) return null;
  return (
    <Callout
      tone="danger"
      title={broken.length === 1 ? "A test case would fail" : `${broken.length} test cases would fail`}
    >
      <ul>
        {broken.map((result) => (
          <li key={result.id}>
            {result.name}: must get {valueInWords(result.expected)}, would get {valueInWords(result.value)}.
          </li>
        ))}
      </ul>
    </Callout>
  );
}

type KeepProps = Pick<Props, "projectId" | "flagId" | "actions"> & {
  person: Pick<TestCaseCreate, "distinct_id" | "groups"> & { person_properties: Record<string, unknown> };
  value: boolean | string;
};

const suggestion = ({ distinct_id, person_properties }: KeepProps["person"]) =>
  [distinct_id, ...Object.entries(person_properties).map(([name, each]) => `${name} ${String(each)}`)]
    .join(", ")
    .slice(0, 120);

/** Keeps a tried person with what they got, so that later saves are checked on them. */
export function KeepTestCase({ projectId, flagId, actions, person, value }: KeepProps) {
  const queries = useQueryClient();
  const [name, setName] = useState(suggestion(person));
  const [pending, setPending] = useState(false);
  const [problem, setProblem] = useState<string>();
  async function keep() {
    setPending(true);
    const body = { ...person, name, expected: value };
    const kept = await attempt(() => actions.addTestCase(projectId, flagId, body));
    setPending(false);
    setProblem(kept.ok ? undefined : kept.error.detail);
    if (!kept.ok) return;
    toast.success(`Kept: ${name} must get ${valueInWords(value)}`);
    await queries.invalidateQueries({ queryKey: ["flag-test-cases", projectId, flagId] });
  }
  return (
    <div className="flex items-end gap-2">
      <Field label="Keep as a test case" error={problem} className="flex-1">
        <Input value={name} onChange={(event) => setName(event.target.value)} />
      </Field>
      <Button onClick={() => void keep()} loading={pending} disabled={name.trim() === ""}>
        Keep
      </Button>
    </div>
  );
}
