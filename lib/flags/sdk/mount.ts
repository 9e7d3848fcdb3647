import type { Context } from "hono";
import type { SdkMounting } from "#lib/flags/context.ts";
import { cors } from "#lib/platform/http/cors.ts";
import { methodNotAllowed, notFound } from "#lib/platform/http/errors.ts";

import { JSON_HEADERS, openError, projectOf } from "#lib/platform/http/open.ts";
import type { AskOrigin } from "./call.ts";
import { definitionsHandler } from "./definitions.ts";
import { flagsHandler } from "./flags.ts";
import { ofrepBulkHandler, ofrepConfigurationHandler, ofrepFlagHandler } from "./ofrep.ts";
import {
  buildRemoteConfig,
  buildRemoteConfigScript,
  type HasSurveys,
  type Surveys,
} from "./remote-config.ts";
import { definitionsStreamHandler, flagsStreamHandler } from "./streams.ts";

const OFREP_FLAGS = "/ofrep/v1/evaluate/flags/";

type Handler = (request: Request, context: Context) => Promise<Response>;

const handled = (handler: Handler) => async (c: Context) => {
  try {
    return await handler(c.req.raw, c);
  } catch (error) {
    return openError(error, c);
  }
};

/** `/array/{token}/config` and its form as a script. */
function remoteConfigHandler(
  mounting: SdkMounting,
  surveys: SdkOptions["surveys"],
  form: "json" | "script",
): Handler {
  return async (_request, c) => {
    const token = c.req.param("token") ?? "";
    const { byToken } = await mounting.runtime.directory.current();
    if (!byToken.has(token)) throw notFound("There is no project with this token.");
    const project = await projectOf(mounting, token, Date.now());
    const snapshot = await mounting.runtime.definitions.latest(project.id);
    const staleSince = mounting.runtime.availability.away_since?.toISOString();
    const config = {
      ...buildRemoteConfig(token, snapshot, await surveys(project.id)),
      ...(staleSince !== undefined && { staleSince }),
    };
    const headers = { ...JSON_HEADERS, "cache-control": "no-cache" };
    if (form === "json") return new Response(JSON.stringify(config), { headers });
    return new Response(buildRemoteConfigScript(token, config), {
      headers: { ...headers, "content-type": "application/javascript; charset=utf-8" },
    });
  };
}

/** What mounting the SDKs' side needs beside the process. */
export type SdkOptions = {
  /** Whether a project has launched surveys. */
  hasSurveys: HasSurveys;
  /** The surveys of a project as SDKs get them; false where there are none. */
  surveys: (projectId: number) => Promise<Surveys>;
  /** Where nothing is stored of people. */
  askOrigin?: AskOrigin | undefined;
};

/**
 * Serves what SDKs and OpenFeature's providers ask for about flags. To be mounted first: these are the busiest
 * paths, and the router tries them in order.
 */
export function mountSdk(mounting: SdkMounting, options: SdkOptions): void {
  const { app } = mounting;
  const { surveys } = options;
  const routes: [methods: string[], path: string, handler: Handler][] = [
    [["POST", "GET"], "/flags", flagsHandler(mounting, "flags", options)],
    [["POST", "GET"], "/decide", flagsHandler(mounting, "decide", options)],
    [["GET"], "/flags/definitions", definitionsHandler(mounting)],
    [["GET"], "/flags/definitions/stream", definitionsStreamHandler(mounting)],
    [["GET"], "/flags/stream", flagsStreamHandler(mounting)],
    [["GET"], "/api/feature_flag/local_evaluation", definitionsHandler(mounting)],
    [["GET"], "/array/:token/config", remoteConfigHandler(mounting, surveys, "json")],
    [["GET"], "/array/:token/config.js", remoteConfigHandler(mounting, surveys, "script")],
    [["GET"], "/ofrep/v1/configuration", ofrepConfigurationHandler(mounting)],
    [["POST"], "/ofrep/v1/evaluate/flags", ofrepBulkHandler(mounting, options)],
    [["POST"], `${OFREP_FLAGS}*`, ofrepFlagHandler(mounting, OFREP_FLAGS, options)],
  ];
  for (const [methods, path, handler] of routes) {
    app.on(methods, path, handled(handler));
    app.options(path, cors());
    app.all(
      path,
      handled(async (request) => {
        throw methodNotAllowed(request.method);
      }),
    );
  }
}
