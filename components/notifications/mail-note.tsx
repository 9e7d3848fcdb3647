import { Callout } from "#components/ui/display/callout.tsx";

/** Where mail goes, or that there is no server for it. */
export function MailNote({ canSend, email }: { canSend: boolean; email: string }) {
  if (canSend) return <p className="text-muted text-sm">They are sent to {email}.</p>;
  return (
    <Callout tone="warning" title="E-mail is not configured">
      Nothing is sent before an operator sets SMTP_URL and MAIL_FROM. What waits for more than a day is given
      up.
    </Callout>
  );
}
