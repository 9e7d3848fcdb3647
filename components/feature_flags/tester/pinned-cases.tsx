"use client";

import { useQueryClient } from "@tanstack/react-query";
import { CircleCheck, CircleX, X } from "lucide-react";
import { useState } from "react";
import type { FlagActions } from "#app/project/[project_id]/feature_flags/flag-actions.ts";
import { valueInWords } from "#components/conditions/outcome-words.ts";
import type { Access } from "#components/kit/access.tsx";
import { attempt } from "#components/kit/action.ts";
import { useEndpoint } from "#components/kit/use-endpoint.ts";
import { useSettled } from "#components/kit/use-settled.ts";
import { Button } from "#components/ui/button.tsx";
import { Callout } from "#components/ui/display/callout.tsx";
import { Field } from "#components/ui/form/field.tsx";
import { Input } from "#components/ui/form/input.tsx";
import { IconButton } from "#components/ui/icon-button.tsx";
import { toast } from "#components/ui/overlay/toaster.tsx";
import type {
  TestCaseCreate,
  TestCaseResult,
  testCasesContract,
} from "#lib/flags/feature_flags/who_changes/pinned-cases-contract.ts";
import type { FlagFilters } from "#lib/people/conditions/filters-schema.ts";
import { canonical } from "#lib/platform/canonical.ts";

/** The test cases of a flag as they come out on what would be saved, a moment after it was last touched. */
function useTestCases(projectId: string, flagId: number | null, proposed: Proposed) {
  const { value, settled } = useSettled(proposed, canonical(proposed));
  return useEndpoint<typeof testCasesContract.check_test_cases>(
    "/api/projects/{project_id}/feature_flags/{id}/test_cases/check/",
    { params: { project_id: projectId, id: String(flagId) }, body: value },
    {
      enabled: flagId !== null && settled,
      staleTime: 5_000,
      retry: false,
      placeholderData: (before) => before,
    },
  );
}

type Proposed = { active: boolean; filters: FlagFilters };
type Props = { projectId: string; flagId: number; proposed: Proposed; access: Access; actions: FlagActions };

/** What certain people should get, and whether they would with the flag as edited. */
export function TestCases({ projectId, flagId, proposed, access, actions }: Props) {
  const { data, error } = useTestCases(projectId, flagId, proposed);
  const queries = useQueryClient();
  if (error) return <p className="text-warning-text text-xs">{error.message}</p>;
  if (!data || data.results.length === 0) return null;
  async function drop(result: TestCaseResult) {
    const removed = await attempt(() => actions.removeTestCase(projectId, flagId, result.id));
    if (!removed.ok) toast.error(`${result.name} was not removed`, { description: removed.error.detail });
    await queries.invalidateQueries({
      queryKey: ["/api/projects/{project_id}/feature_flags/{id}/test_cases/check/"],
    });
  }
  return (
    <section aria-label="Test cases" className="flex flex-col gap-1.5 border-t pt-3">
      <h3 className="flex justify-between font-medium text-sm">
        Test cases
        <span className="tabular font-normal text-muted text-xs">
          {data.failed === 0 ? `${data.passed} passed` : `${data.failed} of ${data.results.length} failed`}
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
              label={`Remove the test case ${result.name}`}
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
      should get {valueInWords(result.expected)}, would get {valueInWords(result.value)}
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
            {result.name}: should get {valueInWords(result.expected)}, would get {valueInWords(result.value)}.
          </li>
        ))}
      </ul>
    </Callout>
  );
}

type SaveProps = Pick<Props, "projectId" | "flagId" | "actions"> & {
  person: Pick<TestCaseCreate, "distinct_id" | "groups"> & { person_properties: Record<string, unknown> };
  value: boolean | string;
};

const suggestion = ({ distinct_id, person_properties }: SaveProps["person"]) =>
  [distinct_id, ...Object.entries(person_properties).map(([name, each]) => `${name} ${String(each)}`)]
    .join(", ")
    .slice(0, 120);

/** Saves the tested person with what they got, so that later saves are checked against it. */
export function SaveTestCase({ projectId, flagId, actions, person, value }: SaveProps) {
  const queries = useQueryClient();
  const [name, setName] = useState(suggestion(person));
  const [pending, setPending] = useState(false);
  const [problem, setProblem] = useState<string>();
  async function keep() {
    setPending(true);
    const body = { ...person, name, expected: value };
    const saved = await attempt(() => actions.addTestCase(projectId, flagId, body));
    setPending(false);
    setProblem(saved.ok ? undefined : saved.error.detail);
    if (!saved.ok) return;
    toast.success(`Saved: ${name} should get ${valueInWords(value)}`);
    await queries.invalidateQueries({
      queryKey: ["/api/projects/{project_id}/feature_flags/{id}/test_cases/check/"],
    });
  }
  return (
    <div className="flex items-end gap-2">
      <Field label="Save as a test case" error={problem} className="flex-1">
        <Input value={name} onChange={(event) => setName(event.target.value)} />
      </Field>
      <Button onClick={() => void keep()} loading={pending} disabled={name.trim() === ""}>
        Save
      </Button>
    </div>
  );
}
