import { addressOf, errorFrom } from "./call.ts";
import type { Answer, Call, Endpoint } from "./contract.ts";
import { ApiError } from "./errors.ts";
import { parse } from "./validation.ts";

/** Anything that answers requests: the service itself in process, or `fetch` for a remote one. */
export type Send = (request: Request) => Promise<Response>;

type Loose = { params?: Record<string, unknown>; query?: Record<string, unknown>; body?: unknown };

/** The status of a write that a policy holds: nothing was written, a request was made of it. */
const HELD = 202;

async function heldFrom(response: Response): Promise<ApiError> {
  const { code, message, change_request_id } = (await response.json()) as Record<string, string>;
  return new ApiError(HELD, "invalid_request", code ?? "approval_required", message ?? "", {
    extra: { change_request_id },
  });
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
        new Request(addressOf(declared.path, options.base, loose), {
          method: declared.method,
          headers,
          body: JSON.stringify(loose.body),
          redirect: "error",
        }),
      );
      if (response.status !== declared.status && !response.ok) throw await errorFrom(response);
      if (response.status === HELD && declared.status !== HELD) throw await heldFrom(response);
      if (!declared.response) return undefined as Answer<E>;
      return parse(declared.response, await response.json()) as Answer<E>;
    },
  };
}

export type Client = ReturnType<typeof createClient>;
