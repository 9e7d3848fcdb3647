import { Funnel, type FunnelStep } from "#components/charts/funnel.tsx";
import { TimeChart } from "#components/charts/time/time-chart.tsx";
import { DAYS, FIRST_DAY, LAST_DAY } from "#components/charts/time/time-data.ts";
import type { Links } from "#components/surveys/results/filters/results-query.ts";
import { OpenLink } from "#components/surveys/results/open-link.tsx";
import { Card } from "#components/ui/display/card.tsx";
import { formatCount, formatNumber, formatPercent, plural } from "#lib/platform/format.ts";
import type { SurveyResults } from "#lib/surveys/results/schema.ts";
import { overTimeCaption } from "./captions.ts";
import { PercentileLink } from "./durations-card.tsx";

type Step = SurveyResults["funnel"][number];
type Rate = SurveyResults["rates"][number];
type Props = { results: SurveyResults; links: Links };

const stepOf = (results: SurveyResults, name: Step["step"]): Step | undefined =>
  results.funnel.find(({ step }) => step === name);

const rateOf = (results: SurveyResults, name: Rate["rate"]): Rate | undefined =>
  results.rates.find(({ rate }) => rate === name);

const rangeOf = (rate: Rate | undefined): readonly [number, number] | null =>
  !rate || rate.of === 0 || rate.lower === null || rate.upper === null
    ? null
    : [rate.lower / 100, rate.upper / 100];

/** The key figures. */
export function KeyFigures({ results, links }: Props) {
  const answered = stepOf(results, "answered");
  const completed = stepOf(results, "completed");
  const response = rateOf(results, "response_rate");
  const completion = rateOf(results, "completion_rate");
  const { durations } = results;
  const median = durations.percentiles.find(({ percent }) => percent === 50);
  return (
    <dl className="grid grid-cols-2 overflow-clip rounded-lg border bg-surface shadow-card max-lg:[&>*:nth-child(even)]:border-l max-lg:[&>*:nth-child(n+3)]:border-t lg:grid-cols-4 lg:[&>*+*]:border-l">
      <Tile
        term="Responses"
        note={answered ? `from ${plural(answered.people, "person", "people")}` : undefined}
      >
        {answered ? (
          <OpenLink href={links.open(answered.rows, "Responses")}>{formatCount(answered.count)}</OpenLink>
        ) : (
          "–"
        )}
      </Tile>
      <Tile term="Response rate" note={rateNote(response, "views")}>
        {answered && response && response.of > 0 ? (
          <OpenLink
            href={links.open(answered.rows, "Responses")}
            label={`Open the ${plural(answered.count, "response")} behind ${formatNumber(response.percent, 1)}%`}
          >
            {`${formatNumber(response.percent, 1)}%`}
          </OpenLink>
        ) : (
          "–"
        )}
      </Tile>
      <Tile term="Completed" note={rateNote(completion, "responses")}>
        {completed ? (
          <OpenLink href={links.open(completed.rows, "Completed responses")}>
            {formatCount(completed.count)}
          </OpenLink>
        ) : (
          "–"
        )}
      </Tile>
      <Tile
        term="Median time to answer"
        note={
          median ? (
            <>
              {"of "}
              <OpenLink href={links.open(durations.timed.rows, "Timed responses")}>
                {plural(durations.timed.count, "completed response")}
              </OpenLink>
            </>
          ) : (
            "no response has several events"
          )
        }
      >
        {median ? <PercentileLink percentile={median} links={links} /> : "–"}
      </Tile>
    </dl>
  );
}

function rateNote(rate: Rate | undefined, what: string): string | undefined {
  if (!rate || rate.of === 0) return `no ${what} yet`;
  const range = rangeOf(rate);
  const of = `of ${formatCount(rate.of)} ${what}`;
  if (!range) return `${of}; more answers than views`;
  return `${formatPercent(range[0])} to ${formatPercent(range[1])}, ${of}`;
}

function Tile({ term, note, children }: { term: string; note?: React.ReactNode; children: React.ReactNode }) {
  return (
    <div className="min-w-0 px-4 py-3">
      <dt className="text-muted text-xs">{term}</dt>
      <dd className="tabular font-semibold text-ink text-xl">{children}</dd>
      {note ? <dd className="tabular text-faint text-xs">{note}</dd> : null}
    </div>
  );
}

const STEPS: readonly { step: Step["step"]; key: string; label: string; rate?: Rate["rate"]; of?: string }[] =
  [
    { step: "shown", key: "survey shown", label: "Shown" },
    { step: "dismissed", key: "survey dismissed", label: "Dismissed", rate: "dismissal_rate", of: "shown" },
    { step: "answered", key: "survey sent", label: "Answered", rate: "response_rate", of: "shown" },
    { step: "completed", key: "completed", label: "Completed", rate: "completion_rate", of: "answered" },
  ];

/** The funnel from shown to completed, with rates and their intervals. */
export function FunnelCard({ results, links }: Props) {
  const steps: FunnelStep[] = STEPS.flatMap(({ step, key, label, rate: name, of }) => {
    const found = stepOf(results, step);
    const rate = name && rateOf(results, name);
    if (!found) return [];
    return [
      {
        key,
        label,
        count: found.count,
        rate: rate && rate.of > 0 ? rate.percent / 100 : null,
        ...(of ? { of } : {}),
        interval: rangeOf(rate),
        href: links.open(found.rows, label),
      },
    ];
  });
  return (
    <Card>
      <Funnel
        title="From shown to completed"
        level={2}
        caption={funnelCaption(results)}
        steps={steps}
        countName="Times"
      />
      <People results={results} links={links} />
    </Card>
  );
}

function funnelCaption(results: SurveyResults): string {
  const rate = rateOf(results, "response_rate");
  const range = rangeOf(rate);
  if (!rate || rate.of === 0) return "No views within this filter, so there is no rate.";
  if (!range)
    return `More answers (${formatCount(rate.count)}) than views (${formatCount(rate.of)}): some people were shown the survey elsewhere or earlier.`;
  return `${formatCount(rate.count)} of ${formatCount(rate.of)} views were answered: ${formatNumber(rate.percent, 1)}%, 95% interval ${formatPercent(range[0])} to ${formatPercent(range[1])}.`;
}

function People({ results, links }: Props) {
  const left = stepOf(results, "left");
  return (
    <p className="mt-3 border-t pt-2.5 text-muted text-xs leading-6">
      {"People: "}
      {STEPS.map(({ step, label }, place) => {
        const found = stepOf(results, step);
        return found ? (
          <span key={step}>
            {place > 0 ? ", " : ""}
            <OpenLink href={links.open(found.people_rows, `${label}, people`)}>
              {formatCount(found.people)}
            </OpenLink>
            {` ${label.toLowerCase()}`}
          </span>
        ) : null;
      })}
      .
      {left && left.count > 0 ? (
        <>
          {" Left after some answers: "}
          <OpenLink href={links.open(left.rows, "Left after some answers")}>
            {formatCount(left.count)}
          </OpenLink>
          .
        </>
      ) : null}
    </p>
  );
}

const DAILY = [
  { field: "shown", key: "survey shown", name: "Shown" },
  { field: "dismissed", key: "survey dismissed", name: "Dismissed" },
  { field: "answered", key: "survey sent", name: "Answered" },
  { field: "completed", key: "completed", name: "Completed" },
] as const;

/** Events over time by day, week or month; launch and end are marked. */
export function OverTimeCard({
  results,
  links,
  events,
}: Props & { events: { at: string; label: string }[] }) {
  return (
    <Card>
      <TimeChart
        title="Over time"
        level={2}
        caption={overTimeCaption(results)}
        measure={{ unit: "count" }}
        events={events}
        height={236}
        grouping="sum"
        series={DAILY.map(({ field, key, name }, place) => ({
          key,
          name,
          dashIndex: place,
          openHref: links.open(
            { ...results.over_time[0]?.[field].rows, day: FIRST_DAY, day_to: LAST_DAY },
            `${name}, ${DAYS}`,
          ),
          points: results.over_time.map((day) => ({ at: day.date, value: day[field].count })),
        }))}
      />
    </Card>
  );
}
