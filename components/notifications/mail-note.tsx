import { Callout } from "#components/ui/display/callout.tsx";

/** Where mail goes, or that there is no server for it. */
export function MailNote({ canSend, email }: { canSend: boolean; email: string }) {
  if (canSend) return <p className="text-muted text-sm">They are sent to {email}.</p>;
  return (
    <Callout tone="warning" title="E-mail is not configured">
      No e-mail is sent until an operator sets SMTP_URL and MAIL_FROM. E-mail that waits for more than a day
      is discarded.
    </Callout>
  );
}
