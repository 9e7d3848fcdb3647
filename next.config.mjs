const developing = process.env.NODE_ENV === "development";

// Next writes inline scripts (and Radix, CodeMirror inline styles) that differ on every page. What matters most
// holds all the same: nothing comes from or goes to another origin, and nobody can frame a page.
const policy = [
  "default-src 'self'",
  `script-src 'self' 'unsafe-inline'${developing ? " 'unsafe-eval'" : ""}`,
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  `connect-src 'self'${developing ? " ws:" : ""}`,
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join("; ");

const securityHeaders = [
  { key: "Content-Security-Policy", value: policy },
  { key: "X-Frame-Options", value: "DENY" },
  { key: "X-Content-Type-Options", value: "nosniff" },
  { key: "Referrer-Policy", value: "same-origin" },
  { key: "Permissions-Policy", value: "camera=(), microphone=(), geolocation=(), payment=(), usb=()" },
  { key: "Cross-Origin-Opener-Policy", value: "same-origin" },
];

/** @type {import("next").NextConfig} */
const config = {
  skipTrailingSlashRedirect: true,
  typedRoutes: true,
  poweredByHeader: false,
  reactStrictMode: true,
  serverExternalPackages: ["pg", "re2js"],
  // A form of the dashboard is far smaller; reading more at once would hold up other requests.
  experimental: { serverActions: { bodySizeLimit: "512kb" } },
  // Pages only: the API and the SDKs' paths answer for themselves.
  headers: async () => [{ source: "/:path((?!api/).*)", headers: securityHeaders }],
};

export default config;
