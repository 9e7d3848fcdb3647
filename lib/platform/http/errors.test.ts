import { describe, expect, it } from "vitest";
import {
  type ApiError,
  authenticationFailed,
  conflict,
  invalid,
  methodNotAllowed,
  notAuthenticated,
  notFound,
  permissionDenied,
  requestTooLarge,
  throttled,
  tooLarge,
  unavailable,
  unreadable,
  unsupportedMediaType,
} from "./errors.ts";

const none = {};

describe("an error answer", () => {
  it.each<[ApiError, number, string, string, string, object]>([
    [invalid("Bad."), 400, "validation_error", "invalid_input", "Bad.", none],
    [unreadable("Broken."), 400, "invalid_request", "parse_error", "Broken.", none],
    [notFound(), 404, "invalid_request", "not_found", "Not found.", none],
    [notFound("No flag."), 404, "invalid_request", "not_found", "No flag.", none],
    [
      notAuthenticated(),
      401,
      "authentication_error",
      "not_authenticated",
      "Authentication credentials were not provided.",
      none,
    ],
    [authenticationFailed("Wrong."), 401, "authentication_error", "authentication_failed", "Wrong.", none],
    [permissionDenied("No."), 403, "authentication_error", "permission_denied", "No.", none],
    [
      methodNotAllowed("PUT"),
      405,
      "invalid_request",
      "method_not_allowed",
      'Method "PUT" not allowed.',
      none,
    ],
    [conflict("Changed."), 409, "server_error", "conflict", "Changed.", none],
    [requestTooLarge("Large."), 413, "invalid_request", "request_too_large", "Large.", none],
    [
      tooLarge(7),
      413,
      "invalid_request",
      "request_too_large",
      "The request body is larger than 7 bytes.",
      none,
    ],
    [
      unsupportedMediaType("text/xml"),
      415,
      "invalid_request",
      "unsupported_media_type",
      'Unsupported media type "text/xml" in request.',
      none,
    ],
    [
      throttled(1),
      429,
      "throttled_error",
      "throttled",
      "Request was throttled. Expected available in 1 second.",
      { "Retry-After": "1" },
    ],
    [
      throttled(30),
      429,
      "throttled_error",
      "throttled",
      "Request was throttled. Expected available in 30 seconds.",
      { "Retry-After": "30" },
    ],
    [unavailable("Busy."), 503, "server_error", "unavailable", "Busy.", { "Retry-After": "1" }],
  ])("%s", (error, status, type, code, detail, headers) => {
    expect(error.status).toBe(status);
    expect(error.body).toEqual({ type, code, detail, attr: null });
    expect(error.headers).toEqual(headers);
    expect(error.name).toBe("ApiError");
  });

  it("names the field, its own code, and where inside the field the problem is", () => {
    const base = { type: "validation_error", detail: "Taken." };
    expect(invalid("Taken.", "key", "unique").body).toEqual({ ...base, code: "unique", attr: "key" });
    const inside = invalid("Taken.", "filters", "unique", ["groups", 0]);
    expect(inside.body).toEqual({
      ...base,
      code: "unique",
      attr: "filters",
      extra: { path: ["groups", 0] },
    });
    expect(invalid("Taken.").body).not.toHaveProperty("extra");
  });

  it("of a conflict tells what changed, and which version is stored", () => {
    const extra = { fields: ["name"], version: 4 };
    expect(conflict("Changed.", extra).body).toEqual({
      type: "server_error",
      code: "conflict",
      detail: "Changed.",
      attr: null,
      extra,
    });
  });
});
