import type { Route } from "next";
import { Card } from "#components/ui/display/card.tsx";
import { RelativeTime } from "#components/ui/display/relative-time.tsx";
import { TextLink } from "#components/ui/text-link.tsx";
import type { Digest } from "#lib/notifications/subscriptions/schema.ts";
import { formatMomentIn, plural } from "#lib/platform/format.ts";

type Props = { digest: Digest; timezone: string };

/** A page of this dashboard, wherever it runs. */
const pathOf = (link: string): Route => new URL(link).pathname as Route;

/** What somebody's next digest says so far. */
export function DigestCard({ digest: { sends_at, messages, hidden }, timezone }: Props) {
  const moment = formatMomentIn(Date.parse(sends_at), timezone);
  return (
    <Card
      title="Next digest"
      description={
        messages.length + hidden === 0
          ? `Nothing so far. It is sent on ${moment} if something happens by then.`
          : `${plural(messages.length + hidden, "notification")} so far, sent on ${moment}.`
      }
      padded={messages.length === 0}
    >
      {messages.length > 0 ? (
        <ul aria-label="Next digest" className="divide-y border-t">
          {messages.map(({ timestamp, data }) => (
            <li key={`${timestamp} ${data.title}`} className="px-4 py-2.5 text-sm">
              <TextLink href={pathOf(data.link)} className="break-words font-medium">
                {data.title}
              </TextLink>
              {data.detail ? <p className="break-words text-muted text-xs">{data.detail}</p> : null}
              {data.changes.map(({ what, before, after }) => (
                <p key={what} className="break-words text-muted text-xs">
                  {`${what}: ${before ?? "nothing"} → ${after ?? "nothing"}`}
                </p>
              ))}
              <p className="text-faint text-xs">
                <RelativeTime date={timestamp} />
              </p>
            </li>
          ))}
        </ul>
      ) : null}
      {hidden > 0 ? (
        <p className="px-4 py-2.5 text-muted text-xs">
          {`Your API key cannot read what ${plural(hidden, "of them is", "of them are")} about.`}
        </p>
      ) : null}
    </Card>
  );
}
