import { sourceText, spreadText } from "#components/experiments/plan-source.ts";
import type { Plan } from "#components/experiments/planning.ts";
import type { Settings } from "#lib/engines/statistics/types.ts";
import { unitWord } from "#lib/experiments/results/unit-words.ts";
import { formatShortPercent } from "#lib/platform/format.ts";

const percent = (fraction: number) => formatShortPercent(fraction, 1);

/** Below so many people a measured variance is unreliable. */
const FEW = 100;

/** When a result counts as significant. */
function ruleOf(settings: Settings): string {
  if (settings.method === "bayesian")
    return `${percent(settings.ci_level)} credible interval excludes zero, read once at the planned end`;
  const level = percent(1 - settings.alpha);
  return settings.sequential
    ? `${level} sequential intervals, which need more people; read at the planned end`
    : `Two-sided test at ${percent(settings.alpha)}, read once at the planned end`;
}

function dataOf({ source, input }: Plan, unit: string): string {
  const isFew = source.kind === "stored_events" && source.people < FEW;
  const share = input.counted_share;
  const started = share < 1 ? `, the ${percent(share)} of exposed ${unitWord(unit)} that started` : "";
  return `${sourceText(source, unit)}${started}${isFew ? `: a rough estimate from few ${unitWord(unit)}` : ""}`;
}

type Item = { term: string; value: string };

function itemsOf({ plan, settings, unit }: { plan: Plan; settings: Settings; unit: string }): Item[] {
  const { source, input, effect, reduction } = plan;
  const { uncapped_share: uncapped, shares } = input;
  const items: Item[] = [{ term: "Based on", value: dataOf(plan, unit) }];
  const deviation = spreadText(source);
  if (deviation)
    items.push({
      term: "Standard deviation",
      value: `${deviation} per ${unit}`,
    });
  if (uncapped < 1)
    items.push({
      term: "Capped values",
      value: `${percent(Math.abs(effect))} ${effect > 0 ? "more" : "less"} from everyone moves the capped metric by ${percent(Math.abs((1 + effect) ** uncapped - 1))}`,
    });
  if (settings.cuped && source.kind === "stored_events")
    items.push({
      term: "CUPED",
      value:
        reduction === null
          ? "Not available for this kind of metric"
          : reduction < 0.001
            ? "No gain: earlier behaviour does not predict later behaviour"
            : `Removes ${percent(reduction)} of the variance`,
    });
  if (Math.abs(shares.control - shares.variant) > 0.005)
    items.push({
      term: "Split",
      value: `${percent(shares.control)} baseline, ${percent(shares.variant)} in the smallest variant`,
    });
  return [...items, { term: "Significant when", value: ruleOf(settings) }];
}

/** What a plan is based on: the data, its variance, and how results will be read. */
export function PlanBasis(props: { plan: Plan; settings: Settings; unit: string }) {
  return (
    <section aria-label="What the plan is based on">
      <dl className="grid gap-x-6 gap-y-1.5 text-sm sm:grid-cols-[max-content_1fr]">
        {itemsOf(props).map(({ term, value }) => (
          <div key={term} className="contents">
            <dt className="text-muted max-sm:mt-1.5 max-sm:text-xs">{term}</dt>
            <dd className="tabular min-w-0">{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
