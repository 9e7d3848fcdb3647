import { createHash, timingSafeEqual } from "node:crypto";
import type { Context } from "hono";
import { collectDefaultMetrics } from "prom-client";
import { authenticationFailed, notFound } from "#lib/platform/http/errors.ts";
import { registry } from "#lib/platform/metrics.ts";

const digest = (text: string) => createHash("sha256").update(text).digest();

/** Whether it is that token, in a time that says nothing about it. */
const isToken = (given: string, token: string) => timingSafeEqual(digest(given), digest(token));

/**
 * @param token METRICS_TOKEN; undefined: nobody may read metrics
 * @throws ApiError where the request does not carry it
 */
export function requireMetricsToken(c: Context, token: undefined): never;
export function requireMetricsToken(c: Context, token: string | undefined): void;
export function requireMetricsToken(c: Context, token: string | undefined): void {
  if (token === undefined) throw notFound("Set METRICS_TOKEN to serve metrics.");
  const given = /^Bearer\s+(\S+)$/i.exec(c.req.header("authorization") ?? "")?.[1] ?? "";
  if (!isToken(given, token)) throw authenticationFailed("Metrics are for whoever has METRICS_TOKEN.");
}

/** Node's own figures: memory, collections of garbage, delays of the event loop. */
export function collectDefaults(): void {
  if (!registry.getSingleMetric("process_cpu_seconds_total")) collectDefaultMetrics({ register: registry });
}
