import { createHandle } from "#lib/app/api.ts";
import { createRuntime } from "#lib/app/runtime.ts";
import type { StreamOptions } from "#lib/flags/streams/streams.ts";
import { bootstrap } from "#lib/identity/projects/bootstrap.ts";
import type { HistoryCopy } from "#lib/people/events/history/clickhouse-store.ts";
import type { Database } from "#lib/platform/db/connect.ts";
import type { Replica } from "#lib/platform/db/replica.ts";
import type { Limits } from "#lib/platform/http/mount.ts";
import { createTestDatabase } from "./database.ts";
import { requireDocumented } from "./documented.ts";
import { front } from "./front.ts";
import { textOf } from "./streams.ts";

export type Reply = {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests inspect responses of every shape
  json: any;
  text: string;
  headers: Headers;
};

type CallOptions = { key?: string | null; headers?: Record<string, string> };

export const ENCRYPTION_KEY = Buffer.alloc(32, 7);

/** A whole service on a fresh database of its own, called in process. */
export async function startService(
  options: {
    limits?: Limits;
    metricsToken?: string;
    database?: Database;
    replica?: Replica;
    copy?: HistoryCopy;
    streams?: StreamOptions;
    notifications?: NonNullable<Parameters<typeof createRuntime>[2]>["notifications"];
  } = {},
) {
  const database = options.database ?? (await createTestDatabase());
  const first = await bootstrap(database.db, {});
  if (!first) throw new Error("The test database is not empty.");
  const runtime = createRuntime(
    database.db,
    { encryption_key: ENCRYPTION_KEY },
    {
      availability: database.availability,
      evaluationDb: database.evaluation,
      replica: options.replica ?? null,
      copy: options.copy,
      streams: options.streams,
      ...(options.notifications && { notifications: options.notifications }),
    },
  );
  const limits = options.limits ?? { management: 0, definitions: 0, events: 0 };
  const service = createHandle(runtime, {
    limits,
    version: "0.0.0-test",
    metrics: {
      token: options.metricsToken,
      pools: { requests: database.pool, evaluation: database.evaluationPool, jobs: database.jobPool },
    },
  });
  const before = await front.of?.({ handle: service, key: first.personal_api_key, limits });
  const handle = before ? Object.assign(before.handle, { ...service }) : service;
  const api = async (
    method: string,
    path: string,
    body?: unknown,
    call: CallOptions = {},
  ): Promise<Reply> => {
    const key = call.key === undefined ? first.personal_api_key : call.key;
    const raw = typeof body === "string" || body instanceof Uint8Array;
    const response = await handle(
      new Request(`http://switchyard.test${path}`, {
        method,
        headers: {
          ...(key && { authorization: `Bearer ${key}` }),
          ...(body !== undefined && !raw && { "content-type": "application/json" }),
          ...call.headers,
        },
        ...(body !== undefined && { body: raw ? (body as BodyInit) : JSON.stringify(body) }),
      }),
    );
    const text = await textOf(response);
    requireDocumented(method, path, response, text);
    const json =
      /^application\/json/.test(response.headers.get("content-type") ?? "") && text
        ? JSON.parse(text)
        : undefined;
    return { status: response.status, json, text, headers: response.headers };
  };
  return {
    handle,
    runtime,
    db: database.db,
    database,
    availability: database.availability,
    notifications: database.notifications,
    key: first.personal_api_key,
    token: first.project_token,
    api,
    close: async () => {
      await before?.close();
      await database.close();
    },
  };
}

export type Service = Awaited<ReturnType<typeof startService>>;
