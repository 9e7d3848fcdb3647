import type { Route } from "next";
import { TabLinks } from "#components/ui/tabs.tsx";

/** Tabs of experiments and saved metrics. */
export function ExperimentTabs(props: { projectId: string; current: "experiments" | "saved_metrics" }) {
  const base = `/project/${props.projectId}/experiments`;
  return (
    <TabLinks
      label="Experiments and saved metrics"
      tabs={[
        { label: "Experiments", href: base as Route, current: props.current === "experiments" },
        {
          label: "Saved metrics",
          href: `${base}/saved_metrics` as Route,
          current: props.current === "saved_metrics",
        },
      ]}
    />
  );
}
