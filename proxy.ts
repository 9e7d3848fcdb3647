import { randomBytes } from "node:crypto";
import { type NextRequest, NextResponse } from "next/server";
import { isFromOwnPage } from "#lib/app/session/own-page.ts";
import { PATH_HEADER } from "#lib/app/session/path-header.ts";
import { permissionDenied } from "#lib/platform/http/errors.ts";

const isDevelopment = process.env.NODE_ENV === "development";

/**
 * Only scripts that carry the nonce of their page run, and what these load. Radix and charts write inline styles.
 * Nothing comes from or goes to another origin, and nobody can frame a page.
 */
const policyFor = (nonce: string) =>
  [
    "default-src 'self'",
    `script-src 'nonce-${nonce}' 'strict-dynamic'${isDevelopment ? " 'unsafe-eval'" : ""}`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self'",
    `connect-src 'self'${isDevelopment ? " ws:" : ""}`,
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; ");

/** In front of every page, server action and read from the browser. */
export function proxy(request: NextRequest): NextResponse {
  if (!["GET", "HEAD"].includes(request.method) && !isFromOwnPage(request.headers))
    return NextResponse.json(permissionDenied("Requests from another origin are not accepted here.").body, {
      status: 403,
    });
  const policy = policyFor(randomBytes(16).toString("base64"));
  const headers = new Headers(request.headers);
  // Next takes the nonce for its own scripts from here.
  headers.set("content-security-policy", policy);
  headers.set(PATH_HEADER, request.nextUrl.pathname + request.nextUrl.search);
  const response = NextResponse.next({ request: { headers } });
  response.headers.set("content-security-policy", policy);
  return response;
}

export const config = { matcher: "/((?!api/|_next/static/).*)" };
