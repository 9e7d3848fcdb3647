"use client";

import { Plus } from "lucide-react";
import { useState } from "react";
import { Button } from "#components/ui/button.tsx";
import { VariantDot } from "#components/ui/display/share-bar.tsx";
import { FieldError } from "#components/ui/form/field.tsx";
import { Input } from "#components/ui/form/input.tsx";
import { Select } from "#components/ui/form/select.tsx";
import { Menu, MenuItem } from "#components/ui/overlay/menu.tsx";
import type { FlagProperty } from "#lib/people/conditions/filters-schema.ts";
import type { SetDraft } from "./draft.ts";
import { addRow, changeGroup } from "./edit-draft.ts";
import { useFilters, useProblemAt } from "./filters-context.tsx";
import { RowEditor } from "./row-editor.tsx";
import { ShareSlider } from "./share-slider.tsx";

const BY_SHARE = "by-share";

type Props = { set: SetDraft; place: number };

/** Who of those that match gets it, and which variant. */
export function ServeLine({ set, place }: Props) {
  const { draft, change } = useFilters();
  const shareProblem = useProblemAt(["groups", place, "rollout_percentage"]);
  const variantProblem = useProblemAt(["groups", place, "variant"]);
  const forced = set.group.variant ?? "";
  const options = draft.variants.map(({ variant }, index) => ({
    value: `=${variant.key}`,
    label: variant.key || "(no key)",
    icon: <VariantDot index={index} />,
  }));
  const unknown = forced && !options.some((option) => option.value === `=${forced}`);
  return (
    <div className="flex flex-col gap-1">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <span className="w-11 shrink-0 text-right text-faint text-xs max-sm:w-auto">
          {draft.multivariate ? "serve" : "for"}
        </span>
        {draft.multivariate ? (
          <Select
            label={`Variant of set ${place + 1}`}
            className="w-52"
            value={forced ? `=${forced}` : BY_SHARE}
            onValueChange={(next) =>
              change((each) =>
                changeGroup(each, set.uid, { variant: next === BY_SHARE ? null : next.slice(1) }),
              )
            }
            options={[
              { value: BY_SHARE, label: "a variant by percentage" },
              ...options,
              ...(unknown ? [{ value: `=${forced}`, label: `${forced} (no such variant)` }] : []),
            ]}
          />
        ) : null}
        {draft.multivariate ? <span className="text-faint text-xs">to</span> : null}
        <ShareSlider
          label={`Rollout percentage of set ${place + 1}`}
          value={set.group.rollout_percentage}
          invalid={shareProblem !== undefined}
          onValueChange={(rollout_percentage) =>
            change((each) => changeGroup(each, set.uid, { rollout_percentage }))
          }
        />
      </div>
      <FieldError>{shareProblem ?? variantProblem}</FieldError>
    </div>
  );
}

/** Who matches: the rows of a set, and its note. */
export function SetRows({ set, place }: Props) {
  const { draft, change } = useFilters();
  const [noting, setNoting] = useState(false);
  const noted = noting || Boolean(set.group.description);
  const index = draft.rest.aggregation_group_type_index ?? null;
  const add = (property: FlagProperty) => change((each) => addRow(each, set.uid, property));
  const property: FlagProperty =
    index === null
      ? { key: "", type: "person", operator: "exact", value: [] }
      : { key: "", type: "group", group_type_index: index, operator: "exact", value: [] };
  return (
    <div className="flex flex-col gap-2">
      {set.rows.length > 0 ? (
        <ul className="flex flex-col gap-2">
          {set.rows.map((row, at) => (
            <RowEditor key={row.uid} setUid={set.uid} setPlace={place} row={row} place={at} />
          ))}
        </ul>
      ) : null}
      <div className="flex items-center gap-2 sm:pl-13">
        <Menu
          align="start"
          trigger={
            <Button size="sm" variant="ghost" icon={Plus}>
              Add a row<span className="sr-only"> to set {place + 1}</span>
            </Button>
          }
        >
          <MenuItem onSelect={() => add(property)} description="plan is pro, email contains @acme.com …">
            {index === null ? "Property of a person" : "Property of the group"}
          </MenuItem>
          {index === null ? (
            <MenuItem
              onSelect={() => add({ key: "id", type: "cohort", operator: "in", value: "" })}
              description="People who belong to a saved set"
            >
              Cohort
            </MenuItem>
          ) : null}
          <MenuItem
            onSelect={() => add({ key: "", type: "flag", operator: "flag_evaluates_to", value: true })}
            description="People for whom another flag is on"
          >
            Another flag
          </MenuItem>
        </Menu>
        {noted ? null : (
          <Button size="sm" variant="ghost" className="text-faint" onClick={() => setNoting(true)}>
            Add a note<span className="sr-only"> to set {place + 1}</span>
          </Button>
        )}
        {set.rows.length === 0 ? (
          <span className="text-faint text-xs max-sm:sr-only">No rows: matches everyone.</span>
        ) : null}
      </div>
      {noted ? <Note set={set} place={place} focused={noting} /> : null}
    </div>
  );
}

function Note({ set, place, focused }: Props & { focused: boolean }) {
  const { change } = useFilters();
  return (
    <div className="sm:pl-13">
      <Input
        autoFocus={focused}
        aria-label={`Note on set ${place + 1}`}
        placeholder="What this set is for"
        value={set.group.description ?? ""}
        onChange={(event) =>
          change((each) => changeGroup(each, set.uid, { description: event.target.value || null }))
        }
      />
    </div>
  );
}
