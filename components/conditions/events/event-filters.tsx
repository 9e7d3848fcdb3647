"use client";

import { Plus, X } from "lucide-react";
import { Button } from "#components/ui/button.tsx";
import { Combobox } from "#components/ui/form/combobox.tsx";
import { Input } from "#components/ui/form/input.tsx";
import { Select } from "#components/ui/form/select.tsx";
import { IconButton } from "#components/ui/icon-button.tsx";
import { type FilterDraft, OPERATOR_WORDS } from "./event-draft.ts";
import { useSeenProperties } from "./use-seen.ts";

const OPERATORS = Object.entries(OPERATOR_WORDS).map(([value, label]) => ({ value, label }));

type Props = {
  projectId: string;
  event: string | null;
  filters: readonly FilterDraft[];
  onChange: (filters: FilterDraft[]) => void;
  /** Tells the rows of several such editors apart: "of the event". */
  of: string;
};

/** Conditions on the properties of an event; all of them must hold. */
export function EventFilters({ projectId, event, filters, onChange, of }: Props) {
  const { properties, loading } = useSeenProperties(projectId, event);
  const set = (index: number, part: Partial<FilterDraft>) =>
    onChange(filters.map((filter, i) => (i === index ? { ...filter, ...part } : filter)));
  return (
    <div className="flex flex-col gap-2">
      {filters.map((filter, index) => {
        const examples = properties.find(({ name }) => name === filter.key)?.examples ?? [];
        const valueless = filter.operator === "is_set" || filter.operator === "is_not_set";
        return (
          <div
            // biome-ignore lint/suspicious/noArrayIndexKey: a row has no identity but its index
            key={index}
            className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-2 sm:grid-cols-[auto_minmax(0,1fr)_9rem_minmax(0,1fr)_auto]"
          >
            <span className="text-faint text-xs max-sm:hidden">{index === 0 ? "where" : "and"}</span>
            <Combobox
              label={`Property ${index + 1} ${of}`}
              size="sm"
              value={filter.key || null}
              onValueChange={(key) => set(index, { key })}
              loading={loading}
              freeText="Use property"
              placeholder="Property"
              options={properties.map(({ name, property_type }) => ({
                value: name,
                hint: property_type === "Numeric" ? "number" : "text",
              }))}
            />
            <IconButton
              icon={X}
              size="sm"
              label={`Remove condition ${index + 1} ${of}`}
              className="sm:order-last"
              onClick={() => onChange(filters.filter((_, i) => i !== index))}
            />
            <Select
              label={`Comparison ${index + 1} ${of}`}
              size="sm"
              value={filter.operator}
              onValueChange={(operator) => set(index, { operator })}
              options={OPERATORS}
            />
            {valueless ? (
              <span />
            ) : examples.length > 0 && (filter.operator === "exact" || filter.operator === "is_not") ? (
              <Combobox
                label={`Value ${index + 1} ${of}`}
                size="sm"
                value={filter.value || null}
                onValueChange={(value) => set(index, { value })}
                freeText="Use"
                placeholder="Value"
                options={examples.map((value) => ({ value }))}
              />
            ) : (
              <Input
                size="sm"
                aria-label={`Value ${index + 1} ${of}`}
                placeholder="Value"
                value={filter.value}
                onChange={(change) => set(index, { value: change.target.value })}
              />
            )}
          </div>
        );
      })}
      <Button
        size="sm"
        variant="ghost"
        icon={Plus}
        className="w-fit"
        disabled={event === null}
        onClick={() => onChange([...filters, { key: "", operator: "exact", value: "" }])}
      >
        {"Add condition"}
      </Button>
    </div>
  );
}
