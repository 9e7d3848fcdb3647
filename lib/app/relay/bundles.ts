import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { LRUCache } from "lru-cache";
import type { Flag } from "#lib/flags/feature_flags/cache.ts";
import type { Definitions, Snapshot } from "#lib/flags/feature_flags/evaluation/definitions.ts";
import type { Tracker } from "#lib/flags/sdk_instances/tracker.ts";
import { asDatabaseUnavailable, type Db } from "#lib/platform/db/connect.ts";
import { covers } from "#lib/platform/http/auth.ts";
import type { Accounts, Directory, KeyRow, ProjectRow, UserRow } from "#lib/platform/http/directory.ts";
import type { FeedSurvey } from "#lib/surveys/context.ts";
import type { SurveyCache } from "#lib/surveys/surveys/cache.ts";
import { BUNDLE_FORMAT, type RelayBundle } from "./contract.ts";
import { createSigner, fingerprintOf } from "./signature.ts";
import { selectKeys } from "./store.ts";

/** A bundle as it is sent. */
export type SignedBundle = { etag: string; signature: string; body: Buffer; packed: Buffer };

/** So many relays with keys of their own are answered from bundles that are made already. */
const BUNDLES_KEPT = 20;

type Project = RelayBundle["projects"][number];
type Key = RelayBundle["keys"][number];

/** Of deleted flags only the key is of use: surveys and other flags may name them. */
const flagOf = (flag: Flag): Project["flags"][number] => ({
  id: flag.id,
  key: flag.key,
  name: flag.deleted ? "" : flag.name,
  filters: flag.deleted ? { groups: [] } : flag.filters,
  deleted: flag.deleted,
  active: flag.active,
  version: flag.version,
  updated_at: flag.has_encrypted_payloads ? flag.updated_at.toISOString() : null,
  pins: flag.pins.map(({ distinct_ids, value, until }) => ({ distinct_ids, value, until })),
  ensure_experience_continuity: flag.ensure_experience_continuity,
  is_remote_configuration: flag.is_remote_configuration,
  has_encrypted_payloads: flag.has_encrypted_payloads,
  evaluation_runtime: flag.evaluation_runtime,
  evaluation_tags: flag.evaluation_tags,
  targets_survey: flag.targets_survey || flag.surveys.length > 0,
  experiment_set: flag.experiment_set,
});

/** A survey with nothing in it that SDKs do not get. */
const surveyOf = (survey: FeedSurvey): FeedSurvey => ({
  id: survey.id,
  name: survey.name,
  type: survey.type,
  schedule: survey.schedule,
  linked_flag_id: survey.linked_flag_id,
  targeting_flag_id: survey.targeting_flag_id,
  internal_targeting_flag_id: survey.internal_targeting_flag_id,
  internal_response_sampling_flag_id: survey.internal_response_sampling_flag_id,
  questions: survey.questions,
  conditions: survey.conditions,
  appearance: survey.appearance,
  start_date: survey.start_date,
  end_date: survey.end_date,
  archived: survey.archived,
  current_iteration: survey.current_iteration,
  current_iteration_start_date: survey.current_iteration_start_date,
  enable_partial_responses: survey.enable_partial_responses,
});

const digestOf = (text: string) => `sha256$${createHash("sha256").update(text).digest("hex")}`;

function projectOf(
  row: ProjectRow,
  { flags, cohorts, group_types }: Snapshot,
  surveys: readonly FeedSurvey[],
) {
  const deleted = [...flags.byId.values()].filter((flag) => flag.deleted).sort((a, b) => a.id - b.id);
  return {
    id: row.id,
    organization_id: row.organization_id,
    api_token: row.api_token,
    secret_digest: digestOf(row.secret_api_token),
    group_types: [...group_types.indexes].map(([name, index]) => ({ index, name })),
    flags: [...flags.live, ...deleted].map(flagOf),
    cohorts: [...cohorts.byId.values()].map(({ id, is_static, filters }) => ({ id, is_static, filters })),
    surveys: surveys.map(surveyOf),
  };
}

type Parts = {
  db: Db;
  directory: Directory;
  definitions: Definitions;
  surveys: SurveyCache;
  instances: Pick<Tracker, "relayed">;
};

/** Makes what relays serve; of what has not changed since, the same bundle. */
export function createRelayBundles(parts: Parts, encryptionKey: Uint8Array) {
  const { directory, definitions, surveys, instances } = parts;
  const signer = createSigner(encryptionKey);
  const origin = fingerprintOf(signer.public_key);
  const made = new LRUCache<string, { of: readonly unknown[]; bundle: Promise<SignedBundle> }>({
    max: BUNDLES_KEPT,
  });
  let keys: { accounts: Accounts; rows: readonly KeyRow[] } | null = null;
  let sequence = 0;

  /** All keys, read again when an account has changed. */
  const keysOf = async (accounts: Accounts): Promise<readonly KeyRow[]> => {
    if (keys?.accounts === accounts) return keys.rows;
    try {
      const rows = await selectKeys(parts.db);
      keys = { accounts, rows };
      return rows;
    } catch (error) {
      if (keys === null || !asDatabaseUnavailable(error)) throw error;
      return keys.rows;
    }
  };

  /** Keys that open one of some projects. */
  const keysFor = async (
    { users }: Accounts,
    served: readonly ProjectRow[],
    rows: readonly KeyRow[],
  ): Promise<Key[]> => {
    const ids = new Set(served.map(({ id }) => id));
    const keys: Key[] = [];
    for (const key of rows) {
      const user = users.get(key.user_id);
      if (!user?.is_active) continue;
      const opened = (await directory.projectsOf(user, key)).map(({ id }) => id);
      const [current] = opened;
      const projects = opened.filter((id) => ids.has(id));
      if (current === undefined || projects.length === 0) continue;
      keys.push({
        digest: key.secure_value,
        reads_flags: covers(key, "feature_flag:read"),
        projects,
        current,
        expires_at: key.expires_at?.toISOString() ?? null,
      });
    }
    return keys;
  };

  const signed = async (
    audience: string,
    projects: readonly ReturnType<typeof projectOf>[],
    keys: readonly Key[],
    previous: SignedBundle | undefined,
  ): Promise<SignedBundle> => {
    const content = JSON.stringify({ audience, projects, keys });
    const etag = `W/"${createHash("sha256").update(content).digest("base64url")}"`;
    if (previous?.etag === etag) return previous;
    const now = Date.now();
    // A clock that was set back does not make a bundle older than the one before.
    sequence = Math.max(sequence + 1, now);
    const head = { format: BUNDLE_FORMAT, origin, sequence, issued_at: new Date(now).toISOString() };
    const body = Buffer.from(`${JSON.stringify(head).slice(0, -1)},${content.slice(1)}`);
    return { etag, signature: signer.sign(body), body, packed: await promisify(gzip)(body) };
  };

  return {
    /** What relays check signatures with. */
    public_key: signer.public_key,
    /** What somebody's key lets a relay serve. */
    async bundleFor(user: UserRow, key: KeyRow): Promise<SignedBundle> {
      const accounts = await directory.current();
      const served = await directory.projectsOf(user, key);
      const rows = await keysOf(accounts);
      const snapshots = await Promise.all(served.map(({ id }) => definitions.project(id)));
      // Relays report names of definitions, not what is in them.
      for (const [i, { id }] of served.entries()) instances.relayed(id, snapshots[i] as Snapshot);
      const feeds = await Promise.all(served.map(({ id }) => surveys.project(id)));
      const of = [key, rows, ...served, ...snapshots, ...feeds];
      const known = made.get(key.id);
      if (known && known.of.length === of.length && known.of.every((part, i) => part === of[i]))
        return known.bundle;
      const previous = await known?.bundle.catch(() => undefined);
      const bundle = keysFor(accounts, served, rows).then((keys) => {
        const projects = served.map((row, i) =>
          projectOf(row, snapshots[i] as Snapshot, feeds[i] as readonly FeedSurvey[]),
        );
        return signed(key.secure_value, projects, keys, previous);
      });
      made.set(key.id, { of, bundle });
      bundle.catch(() => made.delete(key.id));
      return bundle;
    },
  };
}

export type RelayBundles = ReturnType<typeof createRelayBundles>;
