import { z } from "zod";
import type { Answer, Call, Endpoint } from "./contract.ts";
import { ApiError, type ErrorBody } from "./errors.ts";
import { parse } from "./validation.ts";

/** Anything that answers requests: the service itself in process, or `fetch` for a remote one. */
export type Send = (request: Request) => Promise<Response>;

const errorBody = z.object({
  type: z.string(),
  code: z.string(),
  detail: z.string(),
  attr: z.string().nullish(),
  extra: z
    .object({
      path: z.array(z.union([z.string(), z.number()])).optional(),
      fields: z.array(z.string()).optional(),
      version: z.number().optional(),
    })
    .optional(),
});

type Loose = { params?: Record<string, unknown>; query?: Record<string, unknown>; body?: unknown };

function addressOf(declared: Endpoint, base: string, call: Loose): URL {
  const path = declared.path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(call.params?.[name])).replaceAll("%40", "@"),
  );
  const url = new URL(base.replace(/\/$/, "") + path);
  for (const [name, value] of Object.entries(call.query ?? {}))
    if (value !== undefined && value !== null && value !== "") url.searchParams.set(name, String(value));
  return url;
}

/** The error that an answer describes; one of another form (a proxy's page, say) keeps its status. */
async function errorFrom(response: Response): Promise<ApiError> {
  const parsed = errorBody.safeParse(await response.json().catch(() => null));
  if (!parsed.success)
    return new ApiError(response.status, "server_error", "error", `The service answered ${response.status}.`);
  const { type, code, detail, attr, extra } = parsed.data;
  return new ApiError(response.status, type as ErrorBody["type"], code, detail, { attr, extra });
}

/**
 * Calls endpoints by their contract and checks what comes back against it.
 *
 * @throws ApiError for every answer that is not the contract's, and for one that breaks it (code "contract")
 */
export function createClient(options: { base: string; key: string | null; send: Send }) {
  return {
    async call<E extends Endpoint>(
      declared: E,
      call: Call<E> & { params?: object } = {} as never,
    ): Promise<Answer<E>> {
      const loose = call as Loose;
      const headers: Record<string, string> = options.key ? { authorization: `Bearer ${options.key}` } : {};
      if (loose.body !== undefined) headers["content-type"] = "application/json";
      const response = await options.send(
        new Request(addressOf(declared, options.base, loose), {
          method: declared.method,
          headers,
          body: JSON.stringify(loose.body),
          redirect: "error",
        }),
      );
      if (response.status !== declared.status && !response.ok) throw await errorFrom(response);
      if (!declared.response) return undefined as Answer<E>;
      return parse(declared.response, await response.json()) as Answer<E>;
    },
  };
}

export type Client = ReturnType<typeof createClient>;
