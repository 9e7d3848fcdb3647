import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { log } from "#lib/platform/log.ts";
import { type Service, startService } from "#testing/service.ts";
import { joinedSiblings } from "#testing/siblings.ts";
import { createRuntime } from "./runtime.ts";
import {
  keepSnapshot,
  readSnapshot,
  recall,
  type Snapshot,
  shareProjects,
  snapshotFile,
} from "./snapshot.ts";

let service: Service;
const folder = mkdtempSync(join(tmpdir(), "switchyard-snapshot-"));
const file = snapshotFile(folder);
const key = Buffer.alloc(32, 7);
const PAYLOAD = "a payload that nobody may read";

beforeAll(async () => {
  service = await startService();
  const filters = {
    groups: [{ properties: [], rollout_percentage: 100 }],
    payloads: { true: JSON.stringify(PAYLOAD) },
  };
  await service.api("POST", "/api/projects/1/feature_flags/", {
    key: "secret",
    filters,
    has_encrypted_payloads: true,
  });
  await service.api("GET", "/flags/definitions?send_cohorts");
  await keepSnapshot(service.runtime, file).end();
});
afterAll(async () => {
  await service.close();
  rmSync(folder, { recursive: true });
});

it("processes behind one listener hold the same projects, one that was started later too", async () => {
  const first = service.runtime;
  const second = createRuntime(service.db, { encryption_key: key });
  const [one, other] = joinedSiblings();
  const sharing = [shareProjects(first, one), shareProjects(second, other)];
  const heldBy = ({ flags, surveys }: typeof first) =>
    [flags, surveys].map((c) => [...c.remembered().keys()]);
  await vi.waitFor(() => expect(heldBy(second)).toEqual([[1], [1]]));
  for (const each of sharing) each.end();
});

describe("a snapshot", () => {
  it("serves what the process that wrote it had in memory", async () => {
    const snapshot = readSnapshot(file, key);
    const closed = createRuntime(service.db, { encryption_key: key });
    recall(closed, snapshot as Snapshot);
    expect(closed.flags.remembered()).toEqual(service.runtime.flags.remembered());
    expect(closed.directory.remembered()).toEqual(service.runtime.directory.remembered());
    const flags = closed.flags.remembered().get(1);
    expect(flags?.live.map((flag) => flag.key)).toEqual(["secret"]);
    for (const flag of flags?.live ?? []) expect(flags?.byId.get(flag.id)).toBe(flag);
  });

  it("removes what processes left that were killed while they wrote", async () => {
    const left = `${file}.4194303.part`;
    writeFileSync(left, "half");
    utimesSync(left, 1, 1);
    await keepSnapshot(service.runtime, file).end();
    expect(existsSync(left)).toBe(false);
  });

  it("can be read by its owner alone, and with the encryption key alone", () => {
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const bytes = readFileSync(file);
    for (const secret of [PAYLOAD, service.token, "secret"]) expect(bytes.includes(secret)).toBe(false);
  });

  it("is not used where it is missing, damaged, or from somebody else", () => {
    const warned = vi.spyOn(log(), "warn").mockImplementation(() => undefined);
    expect(readSnapshot(join(folder, "none"), key)).toBeNull();
    expect(warned).not.toHaveBeenCalled();
    expect(readSnapshot(file, Buffer.alloc(32, 8))).toBeNull();
    const whole = readFileSync(file);
    const damaged = join(folder, "damaged");
    for (const at of [0, 25, 40, 60, whole.length - 1]) {
      const bytes = Buffer.from(whole);
      bytes[at] = (bytes[at] ?? 0) ^ 1;
      writeFileSync(damaged, bytes);
      expect(readSnapshot(damaged, key), String(at)).toBeNull();
    }
    for (const length of [0, 10, 30, whole.length - 1]) {
      writeFileSync(damaged, whole.subarray(0, length));
      expect(readSnapshot(damaged, key), String(length)).toBeNull();
    }
    expect(warned).toHaveBeenCalledTimes(10);
    warned.mockRestore();
  });
});
