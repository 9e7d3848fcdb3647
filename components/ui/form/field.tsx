"use client";

import { CircleX } from "lucide-react";
import { createContext, type ReactNode, useContext, useId, useMemo } from "react";
import { cn } from "#components/ui/cn.ts";

type Control = {
  id: string;
  "aria-describedby": string | undefined;
  "aria-invalid": true | undefined;
  "aria-required": true | undefined;
  labelId: string;
};

const FieldContext = createContext<Control | null>(null);

/**
 * The id and ARIA attributes that the surrounding `Field` gives to its control; nothing outside a field.
 * Props set on the control itself win.
 */
export function useFieldControl(): Partial<Omit<Control, "labelId">> {
  const control = useContext(FieldContext);
  if (!control) return {};
  const { labelId: _, ...attributes } = control;
  return attributes;
}

/** The id of the surrounding field's label, for controls that a `<label for>` cannot name. */
export function useFieldLabelId(): string | undefined {
  return useContext(FieldContext)?.labelId;
}

type FieldProps = {
  label: ReactNode;
  /** Help above the control, read with it. */
  description?: ReactNode;
  /** The problem, in words; marks the control invalid. */
  error?: string | undefined;
  /** Stands under the control: a live remark that is no error ("This key is free"). */
  hint?: ReactNode;
  required?: boolean;
  /** Shown after the label as "optional". */
  optional?: boolean;
  /** Keeps the label for screen readers only. */
  hideLabel?: boolean;
  /** At the right end of the label's line. */
  aside?: ReactNode;
  /** `group` for several controls (radio cards, a list of checkboxes): a fieldset with a legend. */
  as?: "single" | "group";
  className?: string;
  children: ReactNode;
};

/** Label, help, control and error, wired together. The control inside takes its id and ARIA from here. */
export function Field(props: FieldProps) {
  const id = useId();
  const { description, error, hint, required = false, as = "single", className, children } = props;
  const described = cn(description && `${id}-d`, hint && `${id}-h`, error && `${id}-e`) || undefined;
  const control = useMemo<Control>(
    () => ({
      id,
      labelId: `${id}-l`,
      "aria-describedby": described,
      "aria-invalid": error ? true : undefined,
      "aria-required": required || undefined,
    }),
    [id, described, error, required],
  );
  const body = (
    <FieldContext value={control}>
      <LabelLine {...props} id={id} group={as === "group"} />
      {description ? (
        <p id={`${id}-d`} className="-mt-0.5 mb-0.5 text-muted text-xs">
          {description}
        </p>
      ) : null}
      {children}
      {hint ? (
        <div id={`${id}-h`} className="text-muted text-xs">
          {hint}
        </div>
      ) : null}
      <FieldError id={`${id}-e`}>{error}</FieldError>
    </FieldContext>
  );
  const box = cn("flex min-w-0 flex-col gap-1.5", className);
  if (as === "single") return <div className={box}>{body}</div>;
  return (
    <fieldset className={box} aria-describedby={described} aria-labelledby={`${id}-l`}>
      {body}
    </fieldset>
  );
}

type LabelLineProps = Pick<FieldProps, "label" | "optional" | "hideLabel" | "aside"> & {
  id: string;
  group: boolean;
};

function LabelLine({ id, label, optional, hideLabel, aside, group }: LabelLineProps) {
  const text = (
    <>
      {label}
      {optional ? <span className="font-normal text-faint">{" optional"}</span> : null}
    </>
  );
  const look = "font-medium text-ink text-sm";
  return (
    <div className={cn("flex items-baseline justify-between gap-3", hideLabel && "sr-only")}>
      {group ? (
        <span id={`${id}-l`} className={look}>
          {text}
        </span>
      ) : (
        <label id={`${id}-l`} htmlFor={id} className={look}>
          {text}
        </label>
      )}
      {aside ? <span className="text-faint text-xs">{aside}</span> : null}
    </div>
  );
}

/** A problem in words, with its sign; announced when it appears. Renders an empty live region otherwise. */
export function FieldError({ id, children }: { id?: string; children?: ReactNode }) {
  return (
    <div id={id} aria-live="polite" className={cn(!children && "sr-only")}>
      {children ? (
        <p className="flex items-start gap-1.5 text-danger-text text-xs">
          <CircleX aria-hidden="true" className="mt-0.5 size-3.5 shrink-0" />
          <span className="min-w-0 break-words">{children}</span>
        </p>
      ) : null}
    </div>
  );
}
