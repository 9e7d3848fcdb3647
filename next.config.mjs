import { existsSync } from "node:fs";

const NOSNIFF = { key: "X-Content-Type-Options", value: "nosniff" };

/** The content security policy, which differs with every page, is in proxy.ts. */
const securityHeaders = [
  { key: "X-Frame-Options", value: "DENY" },
  NOSNIFF,
  { key: "Referrer-Policy", value: "same-origin" },
  { key: "Permissions-Policy", value: "camera=(), microphone=(), geolocation=(), payment=(), usb=()" },
  { key: "Cross-Origin-Opener-Policy", value: "same-origin" },
];

/** @type {import("next").NextConfig} */
const config = {
  skipTrailingSlashRedirect: true,
  typedRoutes: true,
  poweredByHeader: false,
  // They are checked by `npm run typecheck`: whoever starts a release need not wait for that.
  typescript: { ignoreBuildErrors: true },
  reactStrictMode: true,
  serverExternalPackages: ["@clickhouse/client", "pg", "prom-client", "re2js"],
  experimental: {
    // A form of the dashboard is far smaller; reading more at once would hold up other requests.
    serverActions: { bodySizeLimit: "512kb" },
    // Writing the cache takes a quarter of a build's time, and 280 MB: it only pays off for those who build again.
    turbopackFileSystemCacheForBuild: existsSync(".next/BUILD_ID"),
  },
  // Pages only: the API and the SDKs' paths answer for themselves.
  headers: async () => [
    { source: "/:path((?!api/|_next/static/).*)", headers: securityHeaders },
    // Files, of which a page has many, need no more than to be what they say.
    { source: "/_next/static/:path*", headers: [NOSNIFF] },
  ],
};

export default config;
