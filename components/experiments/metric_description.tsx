import { Field } from "#components/ui/field.tsx";
import { Textarea } from "#components/ui/textarea.tsx";

type Props = { value: string; onValueChange: (value: string) => void };

/** What a saved metric measures, for whoever chooses it. */
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
