import type { Route } from "next";
import { TabLinks } from "#components/ui/tab-links.tsx";

/** Tabs of experiments and what they share. */
export function ExperimentTabs(props: {
  projectId: string;
  current: "experiments" | "saved_metrics" | "holdouts";
}) {
  const base = `/project/${props.projectId}/experiments`;
  return (
    <TabLinks
      label="Experiments and what they share"
      tabs={[
        { label: "Experiments", href: base as Route, current: props.current === "experiments" },
        {
          label: "Saved metrics",
          href: `${base}/saved_metrics` as Route,
          current: props.current === "saved_metrics",
        },
        { label: "Holdouts", href: `${base}/holdouts` as Route, current: props.current === "holdouts" },
      ]}
    />
  );
}
