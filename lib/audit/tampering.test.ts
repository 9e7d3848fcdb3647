import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { sql } from "drizzle-orm";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { record } from "#lib/activity/service.ts";
import { type Db, inTransaction, type Tx } from "#lib/platform/db/connect.ts";
import { type Service, startService } from "#testing/service.ts";
import { eraseFromEntries } from "./erase.ts";
import { exportLines } from "./export.ts";
import { keysOf } from "./keys.ts";
import { note } from "./notes.ts";
import { seal } from "./seal.ts";
import { type Problem, verifyAudit } from "./verify.ts";

const keys = keysOf({ encryption_key: Buffer.alloc(32, 7) });
const script = new URL("../../tools/check-audit-log.mjs", import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), "tampering-"));

let service: Service;
let db: Db;
let length = 0;

beforeAll(async () => {
  service = await startService();
  ({ db } = service);
  const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 10, minute));
  for (let batch = 0; batch < 6; batch += 1) {
    for (let i = 0; i < 5; i += 1) {
      const changes = [
        { type: "Cohort", action: "changed" as const, field: "name", before: "é", after: { i } },
      ];
      const name = `cohort ${batch} of ada@example.com`;
      const entry = {
        project_id: 1,
        user_id: i % 2 ? 1 : null,
        scope: "Cohort",
        item_id: `${i}`,
        activity: "updated",
      };
      await record(db, { ...entry, name, changes, at: at(batch * 5 + i) });
    }
    await note(db, {
      project_id: batch % 2 ? 1 : null,
      user_id: 1,
      scope: "Session",
      item_id: `${batch}`,
      activity: "signed_in",
      detail: { batch },
    });
    await seal(db, keys);
  }
  await eraseFromEntries(db, keys, { project_id: 1, user_id: 1, text: "cohort 3 of ada@example.com" });
  const { entries, problems } = await verifyAudit(db, keys);
  expect(problems).toEqual([]);
  length = entries;
});
afterAll(async () => {
  await service.close();
  rmSync(folder, { recursive: true });
});

class Back extends Error {}

/** What is found after a change, which is taken back. */
async function findAfter<T>(
  change: (tx: Tx) => Promise<T>,
  isExported: (changed: T) => boolean = () => true,
) {
  let found: { changed: T; problems: Problem[]; exported: string } | undefined;
  await inTransaction(db, async (tx) => {
    const changed = await change(tx);
    if (changed === null) return;
    const { problems } = await verifyAudit(tx, keys);
    let exported = "";
    if (isExported(changed)) for await (const lines of exportLines(tx, 1, keys)) exported += lines;
    found = { changed, problems, exported };
    throw new Back();
  }).catch((error: unknown) => {
    if (!(error instanceof Back)) throw error;
  });
  return found;
}

/** What the independent script says of an export. */
async function check(text: string): Promise<{ code: number; output: string }> {
  const file = join(folder, "export.jsonl");
  writeFileSync(file, text);
  return promisify(execFile)(process.execPath, [script, file, "--key", keys[0].public_key]).then(
    ({ stdout }) => ({ code: 0, output: stdout }),
    (error: { code: number; stdout: string; stderr: string }) => ({
      code: error.code,
      output: error.stdout + error.stderr,
    }),
  );
}

const IDS = {
  activity_log: "id",
  audit_notes: "id",
  audit_entries: "position",
  audit_checkpoints: "position",
};
/** Columns that only say where the sealer goes on. */
const UNCOVERED = ["xid", "seen"];

type Columns = { table: keyof typeof IDS; column: string; type: string };
async function readColumns(): Promise<Columns[]> {
  const { rows } = await db.execute<Columns>(sql`
    select table_name as "table", column_name as "column", udt_name as type from information_schema.columns
    where table_schema = 'public' and table_name = any(${sql.param(Object.keys(IDS))}::text[])
      and column_name <> all(${sql.param(UNCOVERED)}::text[])
    order by table_name, ordinal_position`);
  return rows;
}

/** Flips a bit of what a column has, as text; false where the column cannot hold the result, or reads the same. */
async function flip(tx: Tx, { table, column, type }: Columns, place: number, at: number, bit: number) {
  const [id, name] = [sql.identifier(IDS[table]), sql.identifier(column)];
  const from = sql.identifier(table);
  const { rows } = await tx.execute<{ id: string; value: string | null; position: string | null }>(sql`
    select t.${id}::text as id, t.${name}::text as value,
      ${"position" in { [IDS[table]]: 0 } ? sql`t.position` : sql`(select position from audit_entries e where e.source_id = t.id)`} as position
    from ${from} t order by t.${id} offset ${place} % (select count(*) from ${from}) limit 1`);
  const [row] = rows;
  if (!row || row.value === null || row.value === "") return null;
  const bytes = Buffer.from(row.value);
  const index = at % bytes.length;
  bytes[index] = (bytes[index] ?? 0) ^ (1 << bit);
  try {
    const changed = await tx.transaction(async (part) => {
      // Rows that others refer to are no obstacle to somebody who can write to the database.
      await part.execute(sql`set local session_replication_role = replica`);
      const result = await part.execute<{ value: string }>(sql`
        update ${from} set ${name} = ${new TextDecoder("utf-8", { fatal: true }).decode(bytes)}::text::${sql.identifier(type)}
        where ${id}::text = ${row.id} returning ${name}::text as value`);
      return result.rows[0]?.value;
    });
    return changed === undefined || changed === row.value ? null : { position: Number(row.position) };
  } catch {
    return null;
  }
}

/** Checkpoints that others say are missing. */
const missing = (problems: readonly Problem[]) =>
  problems.map(({ message }) => Number(/follows one at (\d+), which is missing/.exec(message)?.[1]));

it("locates any flipped bit of any column that matters, in any of the tables", async () => {
  const columns = await readColumns();
  const flips = fc.record({
    place: fc.nat(10_000),
    at: fc.nat(10_000),
    bit: fc.nat(7),
  });
  const reached = new Set<string>();
  let scripted = 0;
  for (const column of columns)
    await fc.assert(
      fc.asyncProperty(flips, async ({ place, at, bit }) => {
        const name = `${column.table}.${column.column}`;
        // The export has what is stored, and what was sealed where that differs; nothing of what came before.
        const isShown = column.table !== "audit_checkpoints" && column.column !== "previous";
        const isScripted = isShown && !reached.has(name);
        const found = await findAfter(
          (tx) => flip(tx, column, place, at, bit),
          () => isScripted,
        );
        if (!found?.changed) return;
        const { changed, problems, exported } = found;
        reached.add(name);
        const places = problems.map(({ position }) => position);
        // A checkpoint that is elsewhere now is missing where it was: the one after it says so.
        if (column.table === "audit_checkpoints") places.push(...missing(problems));
        expect(places).toContain(changed.position);
        if (!isScripted) return;
        scripted += 1;
        expect(await check(exported)).toMatchObject({ code: 1 });
      }),
      { numRuns: 8 },
    );
  expect(reached.size).toBeGreaterThan(columns.length - 4);
  expect(scripted).toBeGreaterThan(5);
});

it("locates what is removed, swapped, moved or replaced", async () => {
  const place = fc.integer({ min: 2, max: length - 1 });
  await fc.assert(
    fc.asyncProperty(
      place,
      place,
      fc.constantFrom("entry", "row", "checkpoint"),
      async (one, other, what) => {
        const removed = await findAfter(async (tx) => {
          if (what === "row")
            for (const table of ["activity_log", "audit_notes"])
              await tx.execute(sql`delete from ${sql.identifier(table)} where id =
              (select source_id from audit_entries where position = ${one})`);
          if (what === "entry") await tx.execute(sql`delete from audit_entries where position = ${one}`);
          if (what === "checkpoint") {
            const { rows } = await tx.execute<{
              position: string;
            }>(sql`delete from audit_checkpoints where position =
            (select min(position) from audit_checkpoints where position >= ${one}) returning position`);
            return Number(rows[0]?.position);
          }
          return one;
        });
        if (!removed) throw new Error("Nothing was removed.");
        const isLast = what === "checkpoint" && removed.changed === length;
        const text = removed.problems.map(({ message }) => message).join("\n");
        if (what === "checkpoint" && !isLast) expect(text).toContain(`${removed.changed}, which is missing`);
        else expect(removed.problems.map(({ position }) => position)).toContain(removed.changed);
        expect((await check(removed.exported)).code).toBe(1);

        if (one === other) return;
        const swapped = await findAfter((tx) =>
          tx
            .execute(sql`with taken as (update audit_entries set position = -position where position = any(
            ${sql.param([one, other])}::bigint[]) returning 1) select count(*) from taken`)
            .then(() =>
              tx.execute(
                sql`update audit_entries set position = ${one + other}::bigint + position where position < 0`,
              ),
            ),
        );
        if (!swapped) throw new Error("Nothing was swapped.");
        expect(swapped.problems.map(({ position }) => position)).toEqual(
          expect.arrayContaining([one, other]),
        );
        expect((await check(swapped.exported)).code).toBe(1);
      },
    ),
    { numRuns: 8 },
  );
});

it("locates a history that was rewritten, hashes included, up to the next signature", async () => {
  const { linkOf, leafOf } = await import("./chain.ts");
  const { selectEntries } = await import("./store.ts");
  const found = await findAfter(async (tx) => {
    await tx.execute(sql`update audit_entries set activity = 'deleted' where position = 9`);
    await tx.execute(sql`update activity_log set activity = 'deleted' where id =
      (select source_id from audit_entries where position = 9)`);
    await tx.execute(sql`update audit_notes set activity = 'deleted' where id =
      (select source_id from audit_entries where position = 9)`);
    let previous: string | null = null;
    for (const entry of await selectEntries(tx, { after: 7, limit: 10_000 })) {
      const hash: string = previous === null ? entry.hash : linkOf(previous, leafOf(entry));
      await tx.execute(sql`update audit_entries set hash = ${hash}, previous = ${previous ?? entry.previous}
        where position = ${entry.position}`);
      previous = hash;
    }
    // Without the key, the checkpoints cannot be signed again.
    await tx.execute(
      sql`update audit_checkpoints c set hash = e.hash from audit_entries e where e.position = c.position`,
    );
  });
  const { problems, exported } = found ?? { problems: [], exported: "" };
  expect(problems[0]).toMatchObject({ kind: "checkpoint" });
  expect(Number(problems[0]?.position)).toBeGreaterThanOrEqual(9);
  expect(Number(problems[0]?.position)).toBeLessThan(9 + 12);
  expect((await check(exported)).code).toBe(1);
});
