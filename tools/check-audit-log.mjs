#!/usr/bin/env node
/**
 * Checks an export of Switchyard's audit log, or the proof of one entry, without any of Switchyard's code: it needs
 * nothing but Node. What is hashed and signed is described in docs/decisions/audit-log.md.
 *
 *   node check-audit-log.mjs FILE [--key HEX] [--checkpoints FILE]
 *
 * --key: the public key that you expect; otherwise the newest checkpoint's is printed, for you to compare.
 * --checkpoints: a file of checkpoints that was stored elsewhere (AUDIT_CHECKPOINTS).
 *
 * Exit code 0: everything is as it was sealed. 1: something is not; each line names the place. 2: it could not be read.
 */
import { createHash, createPublicKey, verify } from "node:crypto";
import { createReadStream, openSync, readFileSync, readSync } from "node:fs";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";

const ZEROS = "0".repeat(64);
const bytes = (hex) => Buffer.from(hex, "hex");

function sha256(kind, ...parts) {
  const hash = createHash("sha256").update(`switchyard audit ${kind} v1\0`);
  for (const part of parts) hash.update(part);
  return hash.digest("hex");
}

const detailsHash = (salt, text) => sha256("details", bytes(salt), text);
const linkOf = (previous, leaf) => sha256("chain", bytes(previous), bytes(leaf));
const leafOf = (e) =>
  sha256(
    "entry",
    JSON.stringify([
      e.position,
      e.source,
      e.source_id,
      e.project_id,
      e.user_id,
      e.scope,
      e.item_id,
      e.activity,
      e.created_at,
      e.details,
    ]),
  );

function isSigned(key, signature, kind, lines) {
  if (!/^[0-9a-f]{64}$/.test(key)) return false;
  const der = Buffer.concat([bytes("302a300506032b6570032100"), bytes(key)]);
  const text = Buffer.from([`switchyard audit ${kind} v1`, ...lines, ""].join("\n"));
  const given = Buffer.from(signature, "base64");
  if (given.toString("base64") !== signature) return false;
  return verify(null, text, createPublicKey({ key: der, format: "der", type: "spki" }), given);
}

const isSignedCheckpoint = (c) =>
  isSigned(c.public_key, c.signature, "checkpoint", [
    c.chain,
    c.position,
    c.previous,
    c.hash,
    c.signed_at,
    c.public_key,
  ]);

const problems = [];
const report = (position, message) => problems.push({ position, message: `Entry ${position}: ${message}.` });

/** Details that do not have the hash that was sealed, until an erasure explains them. */
const differing = new Map();
const erasures = [];
const keyChanges = [];

/** @returns what stands for the entry in the chain */
function readEntry(entry) {
  if (entry.stored) report(entry.position, `${Object.keys(entry.stored).join(", ")} of its row were edited`);
  if (entry.detail === null) report(entry.position, "the row it sealed was removed");
  else {
    const found = detailsHash(entry.salt, entry.detail);
    if (found !== entry.details) differing.set(entry.position, found);
    if (entry.scope === "AuditLog" && entry.source === "audit_notes") {
      const detail = JSON.parse(entry.detail);
      if (entry.activity === "details_erased") erasures.push(detail);
      if (entry.activity === "key_changed") keyChanges.push(detail);
    }
  }
  return leafOf(entry);
}

/** Differing details are as they should be if a signed erasure left them like that. */
function judgeDetails(chain, trusted) {
  const erased = new Map();
  for (const { position, details, public_key, signature } of erasures)
    if (trusted.has(public_key) && isSigned(public_key, signature, "erasure", [chain, position, details]))
      erased.set(position, details);
  for (const [position, found] of differing)
    if (erased.get(position) !== found) report(position, "its details were edited");
}

/** The newest key, and those that it replaced. */
function keysFrom(newest) {
  const trusted = new Set([newest]);
  for (const { from, to } of keyChanges.reverse()) if (trusted.has(to)) trusted.add(from);
  return trusted;
}

function checkProof({ entry, previous, leaves, checkpoint }, expectedKey) {
  const trusted = keysFrom(expectedKey ?? checkpoint.public_key);
  let hash = linkOf(previous, readEntry(entry));
  for (const leaf of leaves) hash = linkOf(hash, leaf);
  if (entry.position + leaves.length !== checkpoint.position || hash !== checkpoint.hash)
    report(entry.position, "it is not what the checkpoint signs");
  if (!isSignedCheckpoint(checkpoint))
    report(checkpoint.position, "the signature of the checkpoint is wrong");
  else if (!trusted.has(checkpoint.public_key))
    report(checkpoint.position, "another key signed the checkpoint");
  // The proof has no later entries, so that an erasure cannot be shown.
  for (const position of differing.keys())
    report(
      position,
      "its details are not those that were sealed; if they were erased since, check the export",
    );
  return `Entry ${entry.position} (${entry.scope} ${entry.item_id} ${entry.activity}, ${entry.created_at}) was sealed by ${checkpoint.signed_at}, key ${checkpoint.public_key}.`;
}

/** Follows the chain through an export. */
async function readExport(path, wanted) {
  const log = { chain: null, hash: ZEROS, position: 0, shown: 0, checkpoints: [] };
  for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Infinity })) {
    if (line === "") continue;
    const { format, entry, hidden, checkpoint, ...rest } = JSON.parse(line);
    if (format !== undefined) log.chain = rest.chain;
    if (checkpoint) log.checkpoints.push({ ...checkpoint, follows: log.position, computed: log.hash });
    const next = entry ?? hidden;
    if (!next) continue;
    if (next.position !== log.position + 1)
      report(
        log.position + 1,
        `the file goes on with ${next.position} here: entries are missing, repeated or moved`,
      );
    log.position = next.position;
    if (entry) log.shown += 1;
    // Going on with the stated hash, so that only the entry that is wrong is named.
    if (linkOf(log.hash, entry ? readEntry(entry) : hidden.leaf) !== rest.hash)
      report(log.position, "it is not what was sealed: it was edited, inserted or moved here");
    log.hash = rest.hash;
    if (log.position === 1 && log.hash !== log.chain) report(1, "it is not the first entry of this log");
    if (wanted.has(log.position)) wanted.set(log.position, log.hash);
  }
  return log;
}

function findCheckpointProblem(each, before, chain, trusted) {
  if (!isSignedCheckpoint(each)) return "the signature of the checkpoint here is wrong";
  if (!trusted.has(each.public_key)) return `another key signed the checkpoint here: ${each.public_key}`;
  if (each.position !== each.follows || each.chain !== chain) return "the checkpoint here belongs elsewhere";
  if (each.previous !== before)
    return `the checkpoint at ${each.previous}, which comes before this one, is missing`;
  if (each.computed !== each.hash)
    return `an entry from ${each.previous + 1} to ${each.position} is not what the checkpoint signed`;
  return null;
}

/** Compares checkpoints that were stored elsewhere. */
function compareKnown(known, { chain, position }, wanted) {
  for (const each of known) {
    if (each.chain !== chain) continue;
    if (each.position > position)
      report(
        position,
        `the log ends here, and a checkpoint of ${each.signed_at} knows entries up to ${each.position}`,
      );
    else if (wanted.get(each.position) !== each.hash)
      report(
        each.position,
        `a checkpoint of ${each.signed_at} that was stored elsewhere signs another history`,
      );
  }
}

async function checkExport(path, expectedKey, known) {
  const wanted = new Map(known.map(({ position }) => [position, null]));
  const log = await readExport(path, wanted);
  const { chain, position, checkpoints } = log;
  const last = checkpoints.at(-1);
  if (!last) {
    report(position, "no checkpoint signs this log");
    return "";
  }
  const trusted = keysFrom(expectedKey ?? last.public_key);
  judgeDetails(chain, trusted);
  let before = 0;
  for (const each of checkpoints) {
    const problem = findCheckpointProblem(each, before, chain, trusted);
    if (problem) report(each.position, problem);
    before = each.position;
  }
  if (last.position !== position) report(position, `no checkpoint signs what follows entry ${last.position}`);
  compareKnown(known, log, wanted);
  return `${position} entries, ${log.shown} of them shown, ${checkpoints.length} checkpoints. The last one is of ${last.signed_at}, key ${last.public_key}.`;
}

function readCheckpoints(path) {
  if (path === undefined) return [];
  return readFileSync(path, "utf8")
    .split("\n")
    .flatMap((line, i) => {
      if (line === "") return [];
      try {
        const checkpoint = JSON.parse(line);
        if (isSignedCheckpoint(checkpoint)) return [checkpoint];
      } catch {}
      problems.push({ position: null, message: `${path}, line ${i + 1}: this is no signed checkpoint.` });
      return [];
    });
}

async function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { key: { type: "string" }, checkpoints: { type: "string" } },
  });
  const [path] = positionals;
  if (path === undefined)
    throw new Error("Usage: node check-audit-log.mjs FILE [--key HEX] [--checkpoints FILE]");
  const known = readCheckpoints(values.checkpoints);
  const start = Buffer.alloc(100);
  readSync(openSync(path), start);
  const isProof = /^\s*\{\s*"format"\s*:\s*"switchyard-audit-proof"/.test(start.toString());
  const summary = isProof
    ? checkProof(JSON.parse(readFileSync(path, "utf8")), values.key)
    : await checkExport(path, values.key, known);
  if (summary) console.info(summary);
  for (const { message } of problems) console.info(message);
  console.info(problems.length === 0 ? "Everything is as it was sealed." : "This log was changed.");
  return problems.length === 0 ? 0 : 1;
}

main().then(
  (code) => {
    process.exitCode = code;
  },
  (error) => {
    console.error(`The file cannot be checked: ${error.message}`);
    process.exitCode = 2;
  },
);
