"use client";

import { Combobox } from "#components/ui/form/combobox.tsx";
import { Field } from "#components/ui/form/field.tsx";
import { Input } from "#components/ui/form/input.tsx";
import { Segmented } from "#components/ui/form/segmented.tsx";
import { Select } from "#components/ui/form/select.tsx";
import type { Json } from "#lib/engines/json.ts";
import { hasAmounts } from "#lib/experiments/metric_kinds/amounts.ts";
import { UNITS, wholeIn } from "./metric-fields.tsx";
import { metricName } from "./metric-words.ts";

type CommonFieldsProps = { metric: Json; change: (part: Json) => void };

/** What every metric has: which way is better, for how long, its name. */
export function CommonFields({ metric, change }: CommonFieldsProps) {
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <Field label="Goal" as="group">
        <Segmented
          label="Goal"
          value={metric.goal === "decrease" ? "decrease" : "increase"}
          onValueChange={(goal) => change({ goal })}
          options={[
            { value: "increase", label: "Higher is better" },
            { value: "decrease", label: "Lower is better" },
          ]}
        />
      </Field>
      <WindowField metric={metric} change={change} />
      {hasAmounts(metric) ? <CurrencyField metric={metric} change={change} /> : null}
      <Field label="Name" optional className="sm:col-span-2">
        <Input
          placeholder={metricName({ ...metric, name: "" })}
          value={typeof metric.name === "string" ? metric.name : ""}
          onChange={(event) => change({ name: event.target.value })}
        />
      </Field>
    </div>
  );
}

const NO_CURRENCY = "";
const currencyNames = new Intl.DisplayNames("en", { type: "currency" });

/** In which money the values are. */
function CurrencyField({ metric, change }: CommonFieldsProps) {
  return (
    <Field label="Currency" optional description="Shows values as money." className="sm:col-span-2">
      <Combobox
        value={typeof metric.currency === "string" ? metric.currency : NO_CURRENCY}
        onValueChange={(currency) => change({ currency: currency === NO_CURRENCY ? undefined : currency })}
        options={[
          { value: NO_CURRENCY, label: "None" },
          ...Intl.supportedValuesOf("currency").map((value) => ({
            value,
            label: `${currencyNames.of(value)} (${value})`,
          })),
        ]}
        searchPlaceholder="Search currencies"
        empty="No currency matches"
      />
    </Field>
  );
}

/** For how long after the first exposure events count. */
function WindowField({ metric, change }: CommonFieldsProps) {
  const { conversion_window: window, conversion_window_unit: unit } = metric;
  const isLimited = typeof window === "number" && window > 0;
  return (
    <Field
      label="Conversion window"
      as="group"
      description={isLimited ? "After the first exposure." : "Events count until the experiment ends."}
    >
      <div className="grid grid-cols-2 gap-2">
        <Input
          aria-label="Conversion window"
          inputMode="numeric"
          placeholder="No limit"
          value={isLimited ? String(window) : ""}
          onChange={(event) => {
            const next = wholeIn(event.target.value);
            change(
              next > 0
                ? { conversion_window: next, conversion_window_unit: unit ?? "day" }
                : { conversion_window: undefined, conversion_window_unit: undefined },
            );
          }}
        />
        <Select
          label="Unit of the conversion window"
          disabled={!isLimited}
          value={typeof unit === "string" ? unit : "day"}
          onValueChange={(conversion_window_unit) => change({ conversion_window_unit })}
          options={unit === "second" ? [{ value: "second", label: "seconds" }, ...UNITS] : UNITS}
        />
      </div>
    </Field>
  );
}
