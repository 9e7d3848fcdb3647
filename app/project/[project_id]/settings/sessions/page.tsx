import type { Metadata } from "next";
import { userAgentFromString } from "next/server";
import { Button } from "#components/ui/button.tsx";
import { Badge } from "#components/ui/display/badge.tsx";
import { Page, PageHeader } from "#components/ui/display/page-header.tsx";
import { RelativeTime } from "#components/ui/display/relative-time.tsx";
import { Table, TableBody, TableHead, Td, Th, Tr } from "#components/ui/display/table.tsx";
import { listSessions } from "#lib/app/session/session.ts";
import { requireWho } from "#lib/app/session/who.ts";
import { endSessionAction } from "./actions.ts";

export const metadata: Metadata = { title: "Sessions" };

type OpenSession = Awaited<ReturnType<typeof listSessions>>[number];

/** "Chrome on Linux"; what is not known is left out. */
function browserOf(userAgent: string): string {
  const { browser, os } = userAgentFromString(userAgent);
  const known = [browser.name, os.name?.replace("Mac OS", "macOS")].filter(Boolean);
  return known.length > 0 ? known.join(" on ") : "Unknown browser";
}

export default async function SessionsPage() {
  await requireWho();
  const sessions = await listSessions();
  return (
    <Page width="form">
      <PageHeader
        title="Sessions"
        description="Where you are signed in. Ending a session signs that browser out at once."
      />
      <Table caption="Sessions">
        <TableHead>
          <Th>Browser</Th>
          <Th>Signed in</Th>
          <Th>Last used</Th>
          <Th>
            <span className="sr-only">Actions</span>
          </Th>
        </TableHead>
        <TableBody>
          {sessions.map((session) => (
            <SessionRow key={session.digest} session={session} />
          ))}
        </TableBody>
      </Table>
    </Page>
  );
}

function SessionRow({ session }: { session: OpenSession }) {
  const browser = browserOf(session.user_agent);
  return (
    <Tr>
      <Td place="title">
        <span className="flex flex-wrap items-center gap-2 font-medium">
          {browser}
          {session.is_current ? <Badge tone="accent">This browser</Badge> : null}
        </span>
      </Td>
      <Td label="Signed in" className="text-muted text-xs">
        <RelativeTime date={session.created_at.toISOString()} />
      </Td>
      <Td label="Last used" className="text-muted text-xs">
        <RelativeTime date={session.last_used_at.toISOString()} />
      </Td>
      <Td place="corner" align="right">
        {session.is_current ? null : (
          <form action={endSessionAction.bind(null, session.digest)}>
            <Button
              type="submit"
              size="sm"
              variant="danger-ghost"
              aria-label={`End the session of ${browser}`}
            >
              End
            </Button>
          </form>
        )}
      </Td>
    </Tr>
  );
}
