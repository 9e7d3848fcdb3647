import { cpus } from "node:os";
import { benchApprovals } from "./approvals.ts";
import { benchExperiments } from "./experiments.ts";
import { benchHistory } from "./history.ts";
import { type Figures, measure, type Work } from "./measure.ts";
import { type PeerFigure, peerFigures } from "./peer.ts";
import { benchPersons } from "./persons.ts";
import { benchReplay } from "./replay.ts";
import { startService } from "./service.ts";
import { benchStreams } from "./streams.ts";
import { benchSurveys } from "./surveys.ts";
import { worksOf } from "./works.ts";

const {
  PEER_SUMMARY,
  PORT = "4196",
  DURATION = "10",
  RUNS = "3",
  CONNECTIONS = "50",
  ONLY,
  PROCESSES = "1",
} = process.env;

const cell = (value: number, width: number, digits: number) => value.toFixed(digits).padStart(width);

function line(work: Work, figures: Figures, peer: PeerFigure | undefined): string {
  const ratio = peer ? figures.rps / peer.rps : null;
  const verdict =
    ratio === null
      ? ""
      : `${cell(ratio, 8, 1)}x${peer?.floor ? (ratio >= peer.floor ? `  at least ${peer.floor}x` : `  BELOW ${peer.floor}x`) : ""}`;
  const units = work.units ? `  ${Math.round(figures.rps * work.units.per_request)} ${work.units.of}` : "";
  const failed = figures.failed > 0 ? `  ${figures.failed} FAILED` : "";
  return `${work.name.padEnd(32)}${cell(figures.rps, 9, 0)}${cell(figures.p50, 9, 2)}${cell(figures.p99, 9, 2)}${cell(figures.cpu_node, 9, 3)}${cell(figures.cpu_postgres, 9, 3)}${verdict}${units}${failed}`;
}

const options = { seconds: Number(DURATION), connections: Number(CONNECTIONS), runs: Number(RUNS) };
const peers = peerFigures(PEER_SUMMARY);
const service = await startService(Number(PORT), PROCESSES);
try {
  const works = await worksOf(service);
  console.info(
    `${cpus().length} cores, PROCESSES=${PROCESSES}, ${process.version}, wrk on the same machine: ${options.connections} connections, ${options.seconds} s, median of ${options.runs}. ms per request.`,
  );
  console.info(
    `${"".padEnd(32)}    req/s      p50      p99 cpu node   cpu pg${peers.size > 0 ? "  against the peer" : ""}`,
  );
  for (const work of works) {
    if (ONLY && !work.name.includes(ONLY)) continue;
    console.info(line(work, await measure(service, work, options), peers.get(work.name)));
  }
} finally {
  await service.stop();
}
if (!ONLY || "experiments".includes(ONLY)) await benchExperiments();
if (!ONLY || "surveys".includes(ONLY)) await benchSurveys();
if (!ONLY || "persons".includes(ONLY)) await benchPersons();
if (!ONLY || "approvals".includes(ONLY)) await benchApprovals();
if (!ONLY || "replay".includes(ONLY)) await benchReplay();
if (!ONLY || "history".includes(ONLY)) await benchHistory();
if (!ONLY || "streams".includes(ONLY)) await benchStreams();
