type Step = { title: string; text: string };

/** What to do first, second, third: for pages that have nothing to show yet. */
export function NumberedSteps({ steps }: { steps: readonly Step[] }) {
  return (
    <ol className="mt-6 flex flex-col gap-3.5">
      {steps.map((step, place) => (
        <li key={step.title} className="flex gap-3">
          <span
            aria-hidden="true"
            className="tabular grid size-5 shrink-0 place-items-center rounded-full bg-accent-soft font-semibold text-2xs text-accent-text"
          >
            {place + 1}
          </span>
          <span className="flex flex-col text-sm">
            <span className="font-medium">{step.title}</span>
            <span className="text-muted text-xs">{step.text}</span>
          </span>
        </li>
      ))}
    </ol>
  );
}
