import type { Route } from "next";
import { TabLinks } from "#components/ui/tab-links.tsx";

/** The two halves of People & cohorts. */
export function PeopleTabs({ projectId, current }: { projectId: string; current: "persons" | "cohorts" }) {
  return (
    <TabLinks
      label="People and cohorts"
      tabs={[
        {
          label: "People",
          href: `/project/${projectId}/persons` as Route,
          current: current === "persons",
        },
        {
          label: "Cohorts",
          href: `/project/${projectId}/cohorts` as Route,
          current: current === "cohorts",
        },
      ]}
    />
  );
}
