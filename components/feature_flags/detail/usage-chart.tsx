import { TimeChart } from "#components/charts/time/time-chart.tsx";
import { valueInWords } from "#components/conditions/outcome-words.ts";
import type { FlagUsage } from "#lib/flags/feature_flags/usage/usage-contract.ts";
import { formatShortPercent, plural } from "#lib/platform/format.ts";

/** What a call returned, as it is stored with the event: empty for no value. */
export const responseInWords = (response: string) =>
  response === ""
    ? "no value"
    : valueInWords(response === "true" ? true : response === "false" ? false : response);

type Props = {
  usage: FlagUsage;
  /** Keys of the flag's variants, in their order: each keeps its colour. */
  variants: readonly string[];
  height?: number;
};

/** How often SDKs evaluated the flag, by day and value. */
export function UsageChart({ usage, variants, height = 220 }: Props) {
  if (usage.total === 0)
    return (
      <p className="text-muted text-sm">
        No SDK has reported a call to this flag in the last {usage.days.length} days.
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
      caption={`${plural(usage.total, "call")} in ${usage.days.length} days; ${formatShortPercent((most?.total ?? 0) / usage.total, 0)} of them got ${responseInWords(most?.response ?? "")}.`}
      measure={{ unit: "count" }}
      fromZero
      height={height}
      series={ordered.map(({ response, calls }) => ({
        key: response,
        name: responseInWords(response),
        ...(variants.includes(response) && { colorIndex: variants.indexOf(response) }),
        points: usage.days.map((day, place) => ({ at: day, value: calls[place] ?? 0 })),
      }))}
    />
  );
}
