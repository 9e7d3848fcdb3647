import type { Route } from "next";
import { TabLinks } from "#components/ui/display/tab-links.tsx";

type Props = { projectId: string; current: "persons" | "cohorts" | "erasures" };

/** The parts of People & cohorts. */
export function PeopleTabs({ projectId, current }: Props) {
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
        {
          label: "Erasures",
          href: `/project/${projectId}/persons/erasures` as Route,
          current: current === "erasures",
        },
      ]}
    />
  );
}
