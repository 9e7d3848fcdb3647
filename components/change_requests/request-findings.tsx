import { CircleCheck, CircleX, TriangleAlert } from "lucide-react";
import { valueInWords } from "#components/conditions/outcome-words.ts";
import { Card } from "#components/ui/display/card.tsx";
import type { TestCaseResult } from "#lib/flags/feature_flags/who_changes/pinned-cases-contract.ts";

/** What is known of one flag as it would be. */
export type FlagFindings = {
  key: string;
  /** False: it could not be checked, for now or because the flag is another by now. */
  is_checked: boolean;
  findings: readonly { set: number | null; message: string }[];
  cases: readonly TestCaseResult[];
};

/** What can never happen in the flags as they would be, and how their test cases come out. */
export function RequestFindings({ flags }: { flags: readonly FlagFindings[] }) {
  const found = flags.filter(
    ({ is_checked, findings, cases }) => !is_checked || findings.length + cases.length > 0,
  );
  return (
    <Card title="Checks" description="Of the flags as this change would leave them.">
      {found.length === 0 ? (
        <p className="text-muted text-sm">No problems found. There are no test cases to check.</p>
      ) : (
        <div className="flex flex-col gap-4">
          {found.map(({ key, is_checked, findings, cases }) => (
            <section key={key} aria-label={`Checks of ${key}`} className="flex flex-col gap-1.5 text-xs">
              <h3 className="break-all font-mono">{key}</h3>
              {is_checked ? null : <p className="text-muted">It could not be checked. Reload the page.</p>}
              {findings.map(({ set, message }) => (
                <p key={`${set} ${message}`} className="flex items-start gap-1.5 text-warning-text">
                  <TriangleAlert aria-hidden="true" className="mt-0.5 size-3.5 shrink-0" />
                  <span className="min-w-0 break-words">
                    {set === null ? "" : `Set ${set}: `}
                    {message}
                  </span>
                </p>
              ))}
              <ul aria-label={`Test cases of ${key}`} className="flex flex-col gap-1">
                {cases.map((result) => (
                  <TestCase key={result.id} result={result} />
                ))}
              </ul>
            </section>
          ))}
        </div>
      )}
    </Card>
  );
}

function TestCase({ result: { name, passed, expected, value } }: { result: TestCaseResult }) {
  return (
    <li className="flex items-start gap-1.5">
      {passed ? (
        <CircleCheck aria-label="Passes" className="mt-0.5 size-3.5 shrink-0 text-success-text" />
      ) : (
        <CircleX aria-label="Fails" className="mt-0.5 size-3.5 shrink-0 text-danger-text" />
      )}
      <span className="min-w-0 break-words">
        {name}{" "}
        {passed ? (
          <span className="text-faint">gets {valueInWords(expected)}</span>
        ) : (
          <span className="text-danger-text">
            should get {valueInWords(expected)}, would get {valueInWords(value)}
          </span>
        )}
      </span>
    </li>
  );
}
