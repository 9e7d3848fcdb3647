import { Field } from "#components/ui/form/field.tsx";
import { Textarea } from "#components/ui/form/textarea.tsx";

type Props = { value: string; onValueChange: (value: string) => void };

/** The description of a saved metric. */
export function MetricDescription({ value, onValueChange }: Props) {
  return (
    <Field label="Description" optional>
      <Textarea
        rows={2}
        value={value}
        placeholder="What it measures, and what to watch out for"
        onChange={(event) => onValueChange(event.target.value)}
      />
    </Field>
  );
}
