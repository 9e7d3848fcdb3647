import { openDatabase } from "#lib/platform/db/connect.ts";
import { middle, seedPersons } from "./persons.ts";
import { type BenchService, startService } from "./service.ts";

const { APPROVAL_PEOPLE = "100000", APPROVAL_FLAGS = "1000", APPROVALS_PORT = "4193" } = process.env;

const REPEATS = 15;
const SEEDING_AT_ONCE = 8;
/** A write under policies that nobody is held by may take so long. */
const BOUND_MS = 500;

const FLAGS = "/api/projects/1/feature_flags/";
const pro = { key: "plan", type: "person", operator: "exact", value: ["pro"] };
const filters = (rollout_percentage: number) => ({ groups: [{ properties: [pro], rollout_percentage }] });

type Write = {
  name: string;
  method: "PATCH" | "POST";
  path: (id: number) => string;
  body: (n: number) => object;
  status: number;
};

const one = (id: number) => `${FLAGS}${id}/`;

/** Another round of each has another number, so that every write changes something. */
const WRITES: Write[] = [
  { name: "rename a flag", method: "PATCH", path: one, body: (n) => ({ name: `Renamed ${n}` }), status: 200 },
  {
    name: "change a rollout",
    method: "PATCH",
    path: one,
    body: (n) => ({ filters: filters(20 + (n % 10)) }),
    status: 200,
  },
  {
    name: "create a flag that is off",
    method: "POST",
    path: () => FLAGS,
    body: (n) => ({ key: `created-${n}`, active: false }),
    status: 201,
  },
];

/** Puts everybody on: above the share that the policy leaves free. */
const HELD: Write = {
  name: "change that is held",
  method: "PATCH",
  path: one,
  body: (n) => ({ filters: { groups: [{ properties: [], rollout_percentage: 90 + (n % 10) }] } }),
  status: 202,
};

async function timeOf(service: BenchService, write: Write, id: number, n: number): Promise<number> {
  const began = performance.now();
  const response = await fetch(service.base + write.path(id), {
    method: write.method,
    headers: { authorization: `Bearer ${service.key}`, "content-type": "application/json" },
    body: JSON.stringify(write.body(n)),
  });
  const text = await response.text();
  if (response.status !== write.status) throw new Error(`${write.name}: ${response.status} ${text}`);
  return performance.now() - began;
}

async function measure(service: BenchService, write: Write, ids: readonly number[], from: number) {
  const times: number[] = [];
  for (let n = 0; n < REPEATS; n += 1)
    times.push(await timeOf(service, write, ids[n % ids.length] ?? 0, from + n));
  return { p50: middle(times), most: Math.max(...times) };
}

async function seedFlags(service: BenchService, count: number): Promise<number[]> {
  const ids: number[] = [];
  for (let first = 0; first < count; first += SEEDING_AT_ONCE) {
    const made = await Promise.all(
      Array.from({ length: Math.min(SEEDING_AT_ONCE, count - first) }, (_, n) =>
        service.api("POST", FLAGS, { key: `flag-${first + n}`, active: true, filters: filters(first % 100) }),
      ),
    );
    ids.push(...made.map(({ id }) => id));
  }
  return ids;
}

const cell = (ms: number) => ms.toFixed(0).padStart(9);

/** What a write costs in a project with an approval policy, beside the same write without one. */
export async function benchApprovals(): Promise<void> {
  const service = await startService(Number(APPROVALS_PORT));
  try {
    const database = await openDatabase({ dataDir: service.folder });
    await seedPersons(database.db, Number(APPROVAL_PEOPLE)).finally(() => database.close());
    const ids = await seedFlags(service, Number(APPROVAL_FLAGS));
    console.info(`\n${APPROVAL_FLAGS} flags, ${APPROVAL_PEOPLE} people, ${REPEATS} writes each; ms`);
    console.info(`${"".padEnd(28)}  without       max    under a policy  max`);
    const without = new Map<string, Awaited<ReturnType<typeof measure>>>();
    for (const write of WRITES) without.set(write.name, await measure(service, write, ids, 0));
    await service.api("POST", "/api/projects/1/approval_policies/", {
      action_key: "change",
      conditions: { type: "impact", share_above: 50 },
      approver_config: { quorum: 1 },
      allow_self_approve: true,
    });
    for (const write of [...WRITES, HELD]) {
      const before = without.get(write.name);
      const { p50, most } = await measure(service, write, ids, REPEATS);
      const verdict =
        write.status === 202 ? "" : p50 <= BOUND_MS ? `  at most ${BOUND_MS}` : `  ABOVE ${BOUND_MS}`;
      console.info(
        `${write.name.padEnd(28)}${before ? cell(before.p50) + cell(before.most) : "".padEnd(18)}     ${cell(p50)}${cell(most)}${verdict}`,
      );
    }
  } finally {
    await service.stop();
  }
}

if (import.meta.main) await benchApprovals();
