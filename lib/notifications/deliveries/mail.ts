import { createTransport } from "nodemailer";
import type { Payload } from "#lib/notifications/messages/payload-schema.ts";
import { plural } from "#lib/platform/format.ts";

const TIME_LIMIT_MS = 10_000;

export type Mail = { to: string[]; subject: string; text: string; html: string; messageId: string };

/** @throws Error with what the server said */
export type Mailer = (mail: Mail) => Promise<void>;

/** Sends mail by the server in SMTP_URL. */
export function createMailer({ url, from }: { url: string; from: string }): Mailer {
  const transport = createTransport(url, {
    from,
    // No message of ours refers to files or addresses; none ever should.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const limits = {
    connectionTimeout: TIME_LIMIT_MS,
    greetingTimeout: TIME_LIMIT_MS,
    socketTimeout: TIME_LIMIT_MS,
    dnsTimeout: TIME_LIMIT_MS,
  };
  Object.assign(transport.options, limits);
  return async ({ messageId, ...mail }) => {
    await transport.sendMail({ ...mail, messageId: `<${messageId}@switchyard>` });
  };
}

/** Whether a server refused a message for good. */
export const isRefusal = (error: unknown): boolean =>
  error instanceof Error &&
  "responseCode" in error &&
  typeof error.responseCode === "number" &&
  error.responseCode >= 500;

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};
const escapeHtml = (text: string) =>
  text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);

const changeLine = ({ what, before, after }: Payload["data"]["changes"][number]) =>
  `${what}: ${before ?? "nothing"} → ${after ?? "nothing"}`;

const linesOf = ({ data }: Payload): string[] => [
  ...(data.detail ? [data.detail] : []),
  ...data.changes.map(changeLine),
];

const textOf = (payload: Payload): string =>
  [payload.data.title, ...linesOf(payload).map((line) => `  ${line}`), `  ${payload.data.link}`].join("\n");

const htmlOf = (payload: Payload): string => {
  const { title, link } = payload.data;
  const lines = linesOf(payload).map((line) => `<br>${escapeHtml(line)}`);
  return `<p><a href="${escapeHtml(link)}"><strong>${escapeHtml(title)}</strong></a>${lines.join("")}</p>`;
};

const SUBJECT_MAX = 150;
const oneLine = (text: string) => text.replace(/\s+/g, " ").slice(0, SUBJECT_MAX);

/** A mail about one thing, or the digest of several. */
export function mailOf(
  payloads: readonly Payload[],
  { to, footer, id }: { to: string[]; footer: string; id: string },
): Mail {
  const [first] = payloads;
  const project = first?.data.project.name ?? "";
  const about = payloads.length === 1 && first ? first.data.title : plural(payloads.length, "notification");
  return {
    to,
    subject: oneLine(`[${project}] ${about}`),
    text: [...payloads.map(textOf), `-- \n${footer}`].join("\n\n"),
    html: `${payloads.map(htmlOf).join("")}<hr><p><small>${escapeHtml(footer)}</small></p>`,
    messageId: id,
  };
}
