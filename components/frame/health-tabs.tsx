import type { Route } from "next";
import { TabLinks } from "#components/ui/display/tab-links.tsx";

type Props = { projectId: string; current: "status" | "sdk_instances" };

/** What runs here, and what runs elsewhere with flags from here. */
export function HealthTabs({ projectId, current }: Props) {
  const here = `/project/${projectId}/settings`;
  return (
    <TabLinks
      label="Health"
      tabs={[
        { label: "Service", href: `${here}/status` as Route, current: current === "status" },
        {
          label: "SDK instances",
          href: `${here}/sdk_instances` as Route,
          current: current === "sdk_instances",
        },
      ]}
    />
  );
}
