import { ApiError, type ErrorBody } from "./errors.ts";

/** What fills in the address of a call. */
type Inputs = {
  params?: Record<string, unknown> | undefined;
  query?: Record<string, unknown> | undefined;
};

/** The address of a call: a contract's path with its parameters, and what of the query is given. */
export function addressOf(path: string, base: string, { params, query }: Inputs): URL {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(params?.[name])).replaceAll("%40", "@"),
  );
  const url = new URL(base.replace(/\/$/, "") + filled);
  for (const [name, value] of Object.entries(query ?? {}))
    if (value !== undefined && value !== null && value !== "") url.searchParams.set(name, String(value));
  return url;
}

function isErrorBody(value: unknown): value is ErrorBody {
  const { type, code, detail } = (value ?? {}) as Record<string, unknown>;
  return [type, code, detail].every((part) => typeof part === "string");
}

/** The error that an answer describes; one of another form (a proxy's page, say) keeps its status. */
export async function errorFrom(response: Response): Promise<ApiError> {
  const body: unknown = await response.json().catch(() => null);
  if (!isErrorBody(body))
    return new ApiError(response.status, "server_error", "error", `The service answered ${response.status}.`);
  const { type, code, detail, attr, extra } = body;
  return new ApiError(response.status, type, code, detail, { attr, extra });
}
