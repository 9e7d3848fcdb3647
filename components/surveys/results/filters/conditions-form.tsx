"use client";

import { Plus } from "lucide-react";
import { type ReactNode, useRef, useState } from "react";
import { Button } from "#components/ui/button.tsx";

type RowProps<Condition> = {
  condition: Condition;
  /** What its row is called: "condition 2". */
  row: string;
  onChange: (condition: Condition) => void;
  onRemove: () => void;
};

type Props<Condition> = {
  /** What the form is called, and its list. */
  label: string;
  listLabel: string;
  conditions: readonly Condition[];
  /** A condition to begin with; null: there is nothing to have conditions on. */
  blank: Condition | null;
  isWhole: (condition: Condition) => boolean;
  pending: boolean;
  onApply: (conditions: Condition[]) => void;
  onClose: () => void;
  children: (props: RowProps<Condition>) => ReactNode;
};

/** A filter of responses: rows of conditions, all of which must hold. */
export function ConditionsForm<Condition>(props: Props<Condition>) {
  const { label, listLabel, conditions, blank, isWhole, pending, onApply, onClose, children } = props;
  const form = useRef<HTMLFormElement>(null);
  const [rows, setRows] = useState(() => {
    const begin = conditions.length > 0 ? conditions : blank ? [blank] : [];
    return begin.map((condition, uid) => ({ uid, condition }));
  });
  const whole = rows.every(({ condition }) => isWhole(condition));
  return (
    <form
      ref={form}
      aria-label={label}
      className="rounded-lg border bg-surface p-3 shadow-card"
      onSubmit={(event) => {
        event.preventDefault();
        if (whole) onApply(rows.map((row) => row.condition));
      }}
    >
      <ul aria-label={listLabel} className="flex flex-col gap-2">
        {rows.map(({ uid, condition }, place) => (
          <li
            key={uid}
            className="grid items-start gap-2 sm:grid-cols-[minmax(0,3fr)_minmax(9rem,2fr)_minmax(0,3fr)_auto]"
          >
            {children({
              condition,
              row: `condition ${place + 1}`,
              onChange: (changed) =>
                setRows(rows.map((row) => (row.uid === uid ? { uid, condition: changed } : row))),
              onRemove: () => {
                form.current?.querySelector<HTMLElement>("[data-add]")?.focus();
                setRows(rows.filter((row) => row.uid !== uid));
              },
            })}
          </li>
        ))}
      </ul>
      {blank ? (
        <Button
          size="sm"
          variant="ghost"
          icon={Plus}
          data-add=""
          className="mt-2"
          onClick={() =>
            setRows([...rows, { uid: Math.max(-1, ...rows.map((row) => row.uid)) + 1, condition: blank }])
          }
        >
          Add a condition
        </Button>
      ) : null}
      <div className="mt-3 flex flex-wrap items-center gap-2 border-t pt-3">
        <Button size="sm" type="submit" variant="primary" loading={pending} disabled={!whole}>
          {rows.length === 0 ? "Show all responses" : "Show these responses"}
        </Button>
        <Button size="sm" variant="ghost" onClick={onClose}>
          Close
        </Button>
        {whole ? null : <span className="text-faint text-xs">Complete every row first.</span>}
      </div>
    </form>
  );
}
