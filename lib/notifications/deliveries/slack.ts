import type { Payload } from "#lib/notifications/messages/payload-schema.ts";

const TEXT_MAX = 2_900;

/** Slack reads these three as markup. */
const escapeText = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** A message for an incoming webhook of Slack, or of what is compatible with it. */
export function slackMessageOf({ data }: Payload): Record<string, unknown> {
  const changes = data.changes.map(
    ({ what, before, after }) =>
      `• ${escapeText(what)}: ${escapeText(before ?? "nothing")} → ${escapeText(after ?? "nothing")}`,
  );
  const title = `*<${data.link}|${escapeText(data.title.replaceAll("|", "¦"))}>*`;
  const text = [title, ...(data.detail ? [escapeText(data.detail)] : []), ...changes].join("\n");
  return {
    text: escapeText(data.title),
    blocks: [
      { type: "section", text: { type: "mrkdwn", text: text.slice(0, TEXT_MAX) } },
      {
        type: "context",
        elements: [{ type: "plain_text", text: data.project.name.slice(0, TEXT_MAX) || "–" }],
      },
    ],
  };
}
