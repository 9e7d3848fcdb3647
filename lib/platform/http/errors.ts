/** The closed set of error kinds that the API answers with. */
export type ErrorType =
  | "authentication_error"
  | "validation_error"
  | "invalid_request"
  | "throttled_error"
  | "server_error";

export type ErrorExtra = {
  /** Where inside the field the problem is, for editors that show it there. */
  path?: (string | number)[] | undefined;
  /** Of a conflict: the fields that two requests changed. */
  fields?: string[] | undefined;
  /** Of a conflict: the version that is stored. */
  version?: number | undefined;
  /** Of a write that a policy holds: the request that was made of it. */
  change_request_id?: string | undefined;
};

/** Body of every error answer; `attr` names the field, nested fields joined by two underscores. */
export type ErrorBody = {
  type: ErrorType;
  code: string;
  detail: string;
  attr: string | null;
  extra?: ErrorExtra;
};

type ErrorOptions = {
  attr?: string | null | undefined;
  headers?: Record<string, string>;
  extra?: ErrorExtra | undefined;
};

/** An answer that is not a success. Thrown anywhere below the HTTP layer, it leaves as `ErrorBody`. */
export class ApiError extends Error {
  readonly status: number;
  readonly type: ErrorType;
  readonly code: string;
  readonly attr: string | null;
  readonly headers: Record<string, string>;
  readonly extra: ErrorExtra | undefined;

  constructor(status: number, type: ErrorType, code: string, detail: string, options: ErrorOptions = {}) {
    super(detail);
    this.name = "ApiError";
    this.status = status;
    this.type = type;
    this.code = code;
    this.attr = options.attr ?? null;
    this.headers = options.headers ?? {};
    this.extra = options.extra;
  }

  get body(): ErrorBody {
    const body: ErrorBody = { type: this.type, code: this.code, detail: this.message, attr: this.attr };
    return this.extra ? { ...body, extra: this.extra } : body;
  }
}

/**
 * The answer to a request that failed. Where the caller cannot help it, it has the id of the request, by which whoever
 * runs the server finds it in the log.
 */
export function errorResponse(
  { status, body, headers }: ApiError,
  requestId: string,
  more: Record<string, string> = {},
): Response {
  const isOurs = status >= 500 || status === 429;
  return Response.json(isOurs ? { ...body, request_id: requestId } : body, {
    status,
    headers: { ...more, ...headers },
  });
}

/** 400: a value cannot be accepted; `attr` names the field, null where the object as a whole is wrong. */
export const invalid = (
  detail: string,
  attr: string | null = null,
  code = "invalid_input",
  path?: (string | number)[],
) => new ApiError(400, "validation_error", code, detail, { attr, extra: path && { path } });

/** 400: the request itself cannot be read. */
export const unreadable = (detail: string) => new ApiError(400, "invalid_request", "parse_error", detail);

/** 404. */
export const notFound = (detail = "Not found.") => new ApiError(404, "invalid_request", "not_found", detail);

/** 401: no credential was sent. */
export const notAuthenticated = () =>
  new ApiError(
    401,
    "authentication_error",
    "not_authenticated",
    "Authentication credentials were not provided.",
  );

/** 401: the credential that was sent is not valid. */
export const authenticationFailed = (detail: string) =>
  new ApiError(401, "authentication_error", "authentication_failed", detail);

/** 403: the caller is known, and may not. */
export const permissionDenied = (detail: string) =>
  new ApiError(403, "authentication_error", "permission_denied", detail);

/** 405 with a body (the documented 405s without one are answered by their own verbs). */
export const methodNotAllowed = (method: string) =>
  new ApiError(405, "invalid_request", "method_not_allowed", `Method "${method}" not allowed.`);

/** 409: somebody else changed it meanwhile. */
export const conflict = (detail: string, extra?: Pick<ErrorExtra, "fields" | "version">) =>
  new ApiError(409, "server_error", "conflict", detail, { extra });

/** 413; the detail names the limit. */
export const requestTooLarge = (detail: string) =>
  new ApiError(413, "invalid_request", "request_too_large", detail);

/** 413: too many bytes. */
export const tooLarge = (limit: number) => requestTooLarge(`The request body is larger than ${limit} bytes.`);

/** 408. */
export const requestTimedOut = () =>
  new ApiError(408, "invalid_request", "request_timeout", "The request did not arrive in time.");

/** 431: the URL and the headers are too many bytes. */
export const headTooLarge = (limit: number) =>
  new ApiError(
    431,
    "invalid_request",
    "request_too_large",
    `The URL and the headers are larger than ${limit} bytes together.`,
  );

/** 415. */
export const unsupportedMediaType = (mediaType: string) =>
  new ApiError(
    415,
    "invalid_request",
    "unsupported_media_type",
    `Unsupported media type "${mediaType}" in request.`,
  );

/** 429; `seconds` until the next request has a chance, sent as Retry-After too. */
export const throttled = (seconds: number) =>
  new ApiError(
    429,
    "throttled_error",
    "throttled",
    `Request was throttled. Expected available in ${seconds} second${seconds === 1 ? "" : "s"}.`,
    { headers: { "Retry-After": String(seconds) } },
  );

/** 503: the server is too busy for this request now; a later one may succeed. */
export const unavailable = (detail: string, seconds = 1) =>
  new ApiError(503, "server_error", "unavailable", detail, { headers: { "Retry-After": String(seconds) } });
