import { readActivityPage, record } from "#lib/activity/service.ts";
import { readSettings } from "#lib/engines/statistics/settings.ts";
import { describePeeking } from "#lib/engines/statistics/words.ts";
import { retrieve } from "#lib/experiments/experiments/service.ts";
import { looks, results, timeseries_results } from "#lib/experiments/results/service.ts";
import type { MemberContext } from "#lib/flags/context.ts";
import { inTransaction } from "#lib/platform/db/connect.ts";

import type { Input } from "#lib/platform/http/contract.ts";
import { invalid } from "#lib/platform/http/errors.ts";
import { assemble, idOf, sealable } from "./assemble.ts";
import type { experimentReportContract } from "./contract.ts";
import type { ReportDocument } from "./document.ts";
import { ENGINE, reportFile } from "./file.ts";
import { digestOf } from "./seal.ts";
import { isSigned, signReport } from "./signature.ts";

type ReportInput = Input<typeof experimentReportContract.report>;

async function documentOf(context: MemberContext, { params }: ReportInput): Promise<ReportDocument> {
  const input = { params, query: {}, body: undefined };
  const experiment = await retrieve(context, input);
  const shown = await results(context, input);
  if (shown.state === "not_started")
    throw invalid("The experiment has not started, so there is nothing to report.");
  if (shown.state === "computing")
    throw invalid("The results are being computed for the first time. Try again in a moment.");
  const days = new Map<string, Readonly<Record<string, unknown>>>();
  for (const metric of sealable(shown)) {
    const query = { metric_uuid: metric.uuid, fingerprint: metric.fingerprint };
    const series = await timeseries_results(context, { ...input, query });
    days.set(idOf(metric), series.timeseries);
  }
  const ledger = await looks(context, input);
  const { distinct_looks, actual } = describePeeking(
    ledger.results.map(({ total }) => total),
    readSettings(experiment.stats_config),
  );
  const seen = {
    experiment,
    results: shown,
    days,
    looks: ledger.results,
    peeking: { distinct_looks, actual },
  };
  const made = assemble(seen, ENGINE, context.now.toISOString());
  const { encryption_key: secret } = context.runtime.settings;
  const signature = signReport(secret, context.project.id, digestOf(made));
  return { ...made, seals: { ...made.seals, signature } };
}

/** Entries of the log that are searched for a seal. */
const LOG_READ = 500;

/** Writes the seal into the experiment's log, so that an altered and resealed report can be recognized. */
async function logSeal(context: MemberContext, made: ReportDocument): Promise<void> {
  const { experiment } = made.definitions;
  const of = { scopes: ["Experiment"], item_id: String(experiment.id), activity: "sealed" };
  const last = await readActivityPage(context, of, { page: 1, limit: 1 });
  const seal = made.seals.all;
  if (last.results[0]?.detail.changes[0]?.after === seal) return;
  await inTransaction(context.db, (tx) =>
    record(tx, {
      project_id: context.project.id,
      user_id: context.user.id,
      scope: "Experiment",
      item_id: String(experiment.id),
      activity: "sealed",
      name: experiment.name,
      changes: [{ type: "Experiment", action: "created", field: "report", before: null, after: seal }],
    }),
  );
}

/** Whether a report, known by its digest, was made here, and whether its seal is in its experiment's log. */
export async function check_report(
  context: MemberContext,
  { body }: Input<typeof experimentReportContract.check_report>,
) {
  const { encryption_key: secret } = context.runtime.settings;
  const signed = isSigned(secret, context.project.id, body.digest, body.signature);
  const of = { scopes: ["Experiment"], item_id: String(body.experiment_id), activity: "sealed" };
  const log = signed ? await readActivityPage(context, of, { page: 1, limit: LOG_READ }) : null;
  const entry = log?.results.find(({ detail }) => detail.changes.some(({ after }) => after === body.seal));
  return { signed, recorded_at: entry?.created_at ?? null };
}

const fileName = (text: string) =>
  text
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 80) || "experiment";

function fileResponse(made: ReportDocument, status: 200 | 201): Response {
  return new Response(reportFile(made), {
    status,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-disposition": `attachment; filename="${fileName(made.definitions.experiment.name)}-report.html"`,
      "content-security-policy": "sandbox allow-scripts",
      "cache-control": "private, no-store",
      "x-content-type-options": "nosniff",
    },
  });
}

/** The experiment as one file that checks itself. */
export async function report(context: MemberContext, input: ReportInput): Promise<Response> {
  return fileResponse(await documentOf(context, input), 200);
}

/** The same, with its seal in the experiment's log. */
export async function record_report(context: MemberContext, input: ReportInput): Promise<Response> {
  const made = await documentOf(context, input);
  await logSeal(context, made);
  return fileResponse(made, 201);
}
