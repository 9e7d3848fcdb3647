import type { Route } from "next";
import { PageHeader } from "#components/ui/display/page-header.tsx";
import { TabLinks } from "#components/ui/display/tab-links.tsx";

type Props = { projectId: string; current: "inbox" | "subscriptions" };

const HEADINGS = {
  inbox: {
    title: "What needs you today",
    description: "Everything in this project that is waiting for somebody, most urgent first.",
  },
  subscriptions: {
    title: "Your subscriptions",
    description:
      "What you are notified of by e-mail. Subscribe on the page of a flag, an experiment or a survey.",
  },
};

/** The header of the inbox and of what somebody has subscribed to. */
export function InboxHeader({ projectId, current }: Props) {
  const inbox = `/project/${projectId}/inbox`;
  return (
    <PageHeader
      {...HEADINGS[current]}
      tabs={
        <TabLinks
          label="Inbox and subscriptions"
          tabs={[
            { label: "Inbox", href: inbox as Route, current: current === "inbox" },
            {
              label: "Subscriptions",
              href: `${inbox}/subscriptions` as Route,
              current: current === "subscriptions",
            },
          ]}
        />
      }
    />
  );
}
