import { ArrowRight } from "lucide-react";
import { valueInWords } from "#components/conditions/outcome-words.ts";
import { Badge } from "#components/ui/display/badge.tsx";
import { Callout } from "#components/ui/display/callout.tsx";
import { Card } from "#components/ui/display/card.tsx";
import { RelativeTime } from "#components/ui/display/relative-time.tsx";
import type { ChangeRequest } from "#lib/approvals/change_requests/schema.ts";
import { formatCount, formatShortPercent } from "#lib/platform/format.ts";
import { FlagSection, RequestWhoChanges } from "./request-who-changes.tsx";
import { impactInWords, isOpen } from "./request-words.ts";

type Flag = ChangeRequest["impact"]["flags"][number];
type Cell = Flag["cells"][number];

const all = new Intl.ListFormat("en");
const word = (value: Cell["before"]) => (value === null ? "no flag" : valueInWords(value));
const moves = ({ before, after }: Cell) => (before ?? false) !== (after ?? false);

/** Properties by which SDKs remember who has seen a survey. */
const OF_SURVEYS = /^\$survey_(?:dismissed|responded)\//;

/** Whose value a request changes: as it was counted when it was made, which approvals are for, and as it is now. */
export function RequestImpact({ projectId, request }: { projectId: string; request: ChangeRequest }) {
  const { running_experiments, running_surveys, new_properties, as_of } = request.impact;
  const flags = request.impact.flags.filter((flag) => !flag.is_internal);
  const touched = [
    { what: "Running experiments", names: running_experiments },
    { what: "Running or launched surveys", names: running_surveys },
    {
      what: "Properties that were not read before",
      names: new_properties.filter((name) => !OF_SURVEYS.test(name)),
    },
  ].filter(({ names }) => names.length > 0);
  return (
    <Card
      title="Who changes"
      description={
        <>
          By all changes together, compared with the last approved state. Approvals cover what was counted{" "}
          <RelativeTime date={as_of} />.
        </>
      }
    >
      <div className="flex flex-col gap-3 text-sm">
        <p className="font-medium">{impactInWords(request)}.</p>
        {touched.length > 0 ? (
          <Callout tone="warning">
            {touched.map(({ what, names }) => (
              <p key={what}>
                {what}: {all.format(names)}
              </p>
            ))}
          </Callout>
        ) : null}
        {isOpen(request) ? (
          flags.length > 0 ? (
            <>
              <p className="text-muted text-xs">Counted now:</p>
              <RequestWhoChanges projectId={projectId} requestId={request.id} revised={request.updated_at} />
            </>
          ) : null
        ) : (
          flags.map((flag) => <PastImpact key={flag.id} projectId={projectId} flag={flag} />)
        )}
      </div>
    </Card>
  );
}

/** What was counted when a request was made that is over: nobody can be listed any more. */
function PastImpact({ projectId, flag }: { projectId: string; flag: Flag }) {
  const cells = flag.cells.filter(moves);
  return (
    <FlagSection projectId={projectId} flag={flag}>
      {cells.length > 0 ? (
        <ul className="divide-y rounded-md border bg-sunken">
          {cells.map((cell) => (
            <li
              key={`${cell.before} ${cell.after}`}
              className="flex flex-wrap items-center gap-2 px-3 py-1.5"
            >
              <Badge>{word(cell.before)}</Badge>
              <ArrowRight aria-hidden="true" className="size-3.5 shrink-0 text-faint" />
              <span className="sr-only">to</span>
              <Badge tone={cell.after === false || cell.after === null ? "neutral" : "accent"}>
                {word(cell.after)}
              </Badge>
              <span className="tabular ml-auto font-medium">{formatCount(cell.count)}</span>
              <span className="tabular w-12 text-right text-faint text-xs">
                {formatShortPercent(cell.count / flag.total, 1)}
              </span>
            </li>
          ))}
        </ul>
      ) : null}
    </FlagSection>
  );
}
