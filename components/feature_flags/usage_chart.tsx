import { TimeChart } from "#components/charts/time_chart.tsx";
import type { FlagUsage } from "#lib/feature_flags/usage_contract.ts";
import { valueInWords } from "./outcome_words.ts";

const figure = new Intl.NumberFormat("en");

const nameOf = (response: string) =>
  response === ""
    ? "no answer"
    : valueInWords(response === "true" ? true : response === "false" ? false : response);

type Props = {
  usage: FlagUsage;
  /** Keys of the flag's variants, in their order: each keeps its colour. */
  variants: readonly string[];
};

/** How often SDKs asked for the flag, by day and by what they got. */
export function UsageChart({ usage, variants }: Props) {
  if (usage.total === 0)
    return (
      <p className="text-muted text-sm">
        No SDK has reported a call of this flag in the last {usage.days.length} days.
      </p>
    );
  const [most] = usage.responses;
  const place = (response: string) =>
    variants.includes(response) ? variants.indexOf(response) : variants.length;
  const ordered = [...usage.responses].sort((a, b) => place(a.response) - place(b.response));
  return (
    <TimeChart
      title="Calls by day"
      level={3}
      caption={`${figure.format(usage.total)} calls in ${usage.days.length} days; ${Math.round((100 * (most?.total ?? 0)) / usage.total)} % of them got ${nameOf(most?.response ?? "")}.`}
      measure={{ unit: "count" }}
      fromZero
      height={220}
      series={ordered.map(({ response, calls }) => ({
        key: response,
        name: nameOf(response),
        ...(variants.includes(response) && { colorIndex: variants.indexOf(response) }),
        points: usage.days.map((day, place) => ({ at: day, value: calls[place] ?? 0 })),
      }))}
    />
  );
}
