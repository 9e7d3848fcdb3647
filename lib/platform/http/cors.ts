import { cors as honoCors } from "hono/cors";

/**
 * Opens SDK paths to pages of any origin, preflights and error answers included. They carry project tokens,
 * which are public, and never a cookie.
 */
export const cors = () =>
  honoCors({
    origin: "*",
    allowMethods: ["GET", "POST", "OPTIONS"],
    exposeHeaders: ["ETag", "Retry-After", "Switchyard-Stale-Since", "X-Request-Id"],
    maxAge: 86_400,
  });
