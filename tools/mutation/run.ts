/**
 * `npm run mutate -- PATH… [options]`: changes the code in small ways, one at a time, and sees whether a test notices.
 *
 *   PATH           a target (`engines/evaluation`, `platform/http` …), its folder, or files of it
 *   --all          every target
 *   --sample N     only N mutants of each target, chosen at random; `all` for all
 *   --seed S       chooses another sample
 *   --tests GLOB   only these of the target's test files, for a quick look
 *   --match REGEX  only changes of code that matches
 *   --again FILE   only the survivors that an earlier run wrote with --json
 *   --minutes M    stops after so long; what was not tried is not counted
 *   --json FILE    writes the survivors, in the form of accepted.json
 *
 * Fails where a smaller share than the target's floor is noticed. Changes that cannot be noticed are listed in
 * accepted.json, each with its reason.
 *
 * Why not Stryker: it starts a worker and loads all modules for each mutant, which takes seconds where a service is
 * tested; here a test file runs again and again in one process, and a mutant is a switch in code already loaded.
 * Prose (texts with blanks), types, schemas and contracts are not changed.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { randomFrom } from "#tools/random.ts";
import { type Accepted, nameOfMutant, readAccepted, readEntries } from "./accepted.ts";
import { instrument, type Mutant } from "./mutants.ts";
import { filesOf, TARGETS, type Target } from "./targets.ts";
import { type Outcome, tryMutants } from "./try-mutants.ts";

const root = join(import.meta.dirname, "..", "..");
/** So many are tried with all test files before the next are begun, so that a time limit leaves nothing half done. */
const BATCH = 60;
const SHOWN = 140;

type Candidate = { key: string; file: string; mutant: Mutant };
type Tally = {
  target: Target;
  survivors: Candidate[];
  killed: number;
  timedOut: number;
  accepted: number;
  untried: number;
  seconds: number;
};

function sampleOf<T>(items: readonly T[], size: number, seed: number): T[] {
  const random = randomFrom(seed);
  const shuffled = [...items];
  for (let i = shuffled.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [shuffled[i], shuffled[j]] = [shuffled[j] as T, shuffled[i] as T];
  }
  return shuffled.slice(0, size);
}

const short = (text: string) => {
  const line = text.replace(/\s+/g, " ");
  return line.length > SHOWN ? `${line.slice(0, SHOWN)}…` : line;
};

/** How many characters two texts have in common at their beginnings and, apart from these, at their ends. */
function commonEnds(before: string, after: string): [number, number] {
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before[start] === after[start]) start++;
  let end = 0;
  while (end < most - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  return [start, end];
}

/** The part of the original text that a mutant changes or removes. */
function changedPart({ original, replacement }: Mutant): string {
  const [start, end] = commonEnds(original, replacement);
  return original.slice(start, original.length - end);
}

/** The parts in which two long texts differ, with a little around them. */
function shortened(before: string, after: string): [string, string] {
  const [start, end] = commonEnds(before, after);
  const cut = (text: string) => text.slice(Math.max(0, start - 40), Math.max(start, text.length - end) + 40);
  return [cut(before), cut(after)];
}

function describeSurvivor({ file, mutant }: Candidate): string {
  const [before, after] =
    mutant.original.length > SHOWN
      ? shortened(mutant.original, mutant.replacement)
      : [mutant.original, mutant.replacement];
  return `  ${file}:${mutant.line}:${mutant.column}\n    - ${short(before)}\n    + ${short(after)}`;
}

type Options = {
  files: string[];
  /** Whether a mutant is to be tried at all. */
  isWanted: (candidate: Candidate) => boolean;
  sample: number | null;
  seed: number;
  deadline: number;
};

type Prepared = { sources: Record<string, string>; candidates: Candidate[]; accepted: number };

/** Instruments files, and sets accepted mutants aside. */
function prepare(files: readonly string[]): Prepared {
  const accepted = readAccepted();
  const unused = new Set(
    [...accepted].filter(([, entry]) => files.includes(entry.file)).map(([name]) => name),
  );
  const prepared: Prepared = { sources: {}, candidates: [], accepted: 0 };
  for (const file of files) {
    const path = join(root, file);
    const { code, mutants } = instrument(file, readFileSync(path, "utf8"));
    prepared.sources[path] = code;
    for (const mutant of mutants) {
      const name = nameOfMutant(file, mutant);
      unused.delete(name);
      if (accepted.has(name)) prepared.accepted++;
      else prepared.candidates.push({ key: `${file}#${mutant.id}`, file, mutant });
    }
  }
  for (const name of unused) console.error(`accepted.json names a change that no longer exists: ${name}`);
  if (unused.size > 0) process.exitCode = 1;
  return prepared;
}

/** Tries mutants with each of a target's test files until one notices. */
async function outcomesOf(
  target: Target,
  sources: Record<string, string>,
  candidates: readonly Candidate[],
  reached: Map<string, Set<string>>,
): Promise<Map<string, Outcome>> {
  const outcomes = new Map(candidates.map(({ key }): [string, Outcome] => [key, "survived"]));
  for (const test of filesOf(target.tests, root)) {
    const known = reached.get(test);
    const alive = candidates.filter(
      ({ key }) => outcomes.get(key) === "survived" && (known?.has(key) ?? true),
    );
    if (alive.length === 0) continue;
    const verdicts = await tryMutants({
      sources,
      testFile: join(root, test),
      mutants: alive.map(({ key, file, mutant }) => ({ key, file, id: mutant.id })),
      isOrdered: target.isOrdered,
      usesDatabase: target.usesDatabase,
    });
    reached.set(test, verdicts.covered);
    for (const [key, outcome] of verdicts.outcomes) outcomes.set(key, outcome);
    const noticed = alive.filter(({ key }) => outcomes.get(key) !== "survived").length;
    console.info(`${target.name}: ${test} notices ${noticed} of ${alive.length}`);
  }
  return outcomes;
}

async function mutate(target: Target, { files, isWanted, sample, seed, deadline }: Options): Promise<Tally> {
  const began = Date.now();
  const { sources, candidates, accepted } = prepare(files);
  const wanted = candidates.filter(isWanted);
  const chosen = sample === null ? wanted : sampleOf(wanted, sample, seed);
  const tally: Tally = {
    target,
    survivors: [],
    killed: 0,
    timedOut: 0,
    accepted,
    untried: chosen.length,
    seconds: 0,
  };
  const reached = new Map<string, Set<string>>();
  const size = target.usesDatabase && sample !== null ? BATCH : chosen.length;
  for (let at = 0; at < chosen.length && Date.now() < deadline; at += size) {
    const batch = chosen.slice(at, at + size);
    const outcomes = await outcomesOf(target, sources, batch, reached);
    const all = [...outcomes.values()];
    tally.survivors.push(...batch.filter(({ key }) => outcomes.get(key) === "survived"));
    tally.killed += all.filter((outcome) => outcome === "killed").length;
    tally.timedOut += all.filter((outcome) => outcome === "timed out").length;
    tally.untried -= batch.length;
  }
  tally.seconds = Math.round((Date.now() - began) / 1_000);
  return tally;
}

const scoreOf = ({ killed, timedOut, survivors }: Tally): number => {
  const tried = killed + timedOut + survivors.length;
  return tried === 0 ? 1 : (killed + timedOut) / tried;
};

const entryOf = ({ file, mutant }: Candidate): Accepted => ({
  file,
  line: mutant.context,
  original: mutant.original,
  replacement: mutant.replacement,
  reason: "",
});

/** The targets that paths belong to, each with the files that the paths name. */
function chosenTargets(paths: readonly string[]): { target: Target; files: string[] }[] {
  const chosen = TARGETS.map((target) => {
    const files = filesOf(target.sources, root);
    const isNamed = (file: string) =>
      paths.some((path) => {
        const named = relative(root, resolve(path));
        return path === target.name || file === named || file.startsWith(`${named}/`);
      });
    return { target, files: files.filter(isNamed) };
  });
  return chosen.filter(({ files }) => files.length > 0);
}

// Leaving by a signal ends the process of the tests too.
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(130));
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    all: { type: "boolean", default: false },
    sample: { type: "string" },
    seed: { type: "string", default: "1" },
    minutes: { type: "string" },
    tests: { type: "string" },
    match: { type: "string" },
    again: { type: "string" },
    json: { type: "string" },
  },
});
const targets = chosenTargets(values.all ? TARGETS.map(({ name }) => name) : positionals);
if (targets.length === 0) {
  console.error(`Name a target, its folder or files of it: ${TARGETS.map(({ name }) => name).join(", ")}.`);
  process.exit(2);
}
const seed = Number(values.seed);
const pattern = new RegExp(values.match ?? "");
const again = values.again === undefined ? null : readEntries(values.again);
const isWanted = ({ file, mutant }: Candidate) =>
  pattern.test(changedPart(mutant)) && (again === null || again.has(nameOfMutant(file, mutant)));
const deadline =
  values.minutes === undefined ? Number.POSITIVE_INFINITY : Date.now() + Number(values.minutes) * 60_000;
const tallies: Tally[] = [];
for (const { target: whole, files } of targets) {
  const target = values.tests === undefined ? whole : { ...whole, tests: [values.tests] };
  const wanted = values.sample ?? (target.sample === null ? "all" : String(target.sample));
  const sample = wanted === "all" ? null : Number(wanted);
  console.info(
    `${target.name}: ${files.length} files, ${sample === null ? "all mutants" : `${sample} mutants with seed ${seed}`}`,
  );
  tallies.push(await mutate(target, { files, isWanted, sample, seed, deadline }));
}
for (const tally of tallies) {
  if (tally.survivors.length === 0) continue;
  console.info(`\n${tally.target.name}: nobody noticed`);
  const sorted = tally.survivors.toSorted(
    (a, b) => a.file.localeCompare(b.file) || a.mutant.id - b.mutant.id,
  );
  for (const survivor of sorted) console.info(describeSurvivor(survivor));
}
if (values.json !== undefined) {
  const entries = tallies.flatMap(({ survivors }) => survivors.map(entryOf));
  writeFileSync(values.json, `${JSON.stringify(entries, null, 2)}\n`);
}
console.info(
  "\ntarget              tried  killed  timed out  survived  accepted  untried   score  floor  seconds",
);
for (const tally of tallies) {
  const { target, killed, timedOut, survivors, accepted, untried, seconds } = tally;
  const score = scoreOf(tally);
  const percent = (share: number) => `${(100 * share).toFixed(1)}%`;
  const columns = [
    [killed + timedOut + survivors.length, 6],
    [killed, 8],
    [timedOut, 11],
    [survivors.length, 10],
    [accepted, 10],
    [untried, 9],
    [percent(score), 8],
    [percent(target.floor), 7],
    [seconds, 9],
  ] as const;
  console.info(
    target.name.padEnd(19) + columns.map(([value, width]) => String(value).padStart(width)).join(""),
  );
  if (score < target.floor) process.exitCode = 1;
}
