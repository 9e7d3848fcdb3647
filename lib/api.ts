import { Hono } from "hono";
import type { Contract } from "#lib/http/contract.ts";
import { ApiError, notFound } from "#lib/http/errors.ts";
import {
  createLimits,
  type Limits,
  type Mounting,
  mount,
  mountRefusals,
  type Verbs,
} from "#lib/http/mount.ts";
import { openApiDocument } from "#lib/http/openapi.ts";
import type { Runtime } from "#lib/runtime.ts";

/** A resource: what it promises, and what keeps the promise. */
const resource = <C extends Contract>(contract: C, verbs: Verbs<C>) => ({
  contract,
  serve: (mounting: Mounting) => mount(mounting, contract, verbs),
});

const RESOURCES: Record<string, { contract: Contract; serve: (mounting: Mounting) => void }> = {};

/** Every contract by its resource's name, for the document, the reference page and the tests that walk them. */
export const contracts = () =>
  Object.fromEntries(Object.entries(RESOURCES).map(([name, { contract }]) => [name, contract]));

function answerToError(error: unknown): Response {
  if (error instanceof ApiError)
    return Response.json(error.body, { status: error.status, headers: error.headers });
  console.error(error);
  const body = { type: "server_error", code: "error", detail: "A server error occurred.", attr: null };
  return Response.json(body, { status: 500 });
}

/** Everything that is not a page: the management API, the SDKs' paths and OpenFeature's, as one function. */
export function createHandle(runtime: Runtime, options: { limits: Limits; version: string }) {
  const app = new Hono({ strict: false });
  const mounting: Mounting = { app, runtime, limits: createLimits(options.limits) };
  app.onError((error) => answerToError(error));
  app.notFound(() => answerToError(notFound("Endpoint not found.")));
  for (const { serve } of Object.values(RESOURCES)) serve(mounting);
  const document = openApiDocument(contracts(), options.version);
  app.get("/api/schema", (c) => c.json(document));
  mountRefusals(mounting, Object.values(contracts()));
  return async (request: Request): Promise<Response> => app.fetch(request);
}

void resource;
