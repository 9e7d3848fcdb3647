/** @type {import("next").NextConfig} */
const config = {
  skipTrailingSlashRedirect: true,
  typedRoutes: true,
  poweredByHeader: false,
  reactStrictMode: true,
  serverExternalPackages: ["pg", "re2js"],
  experimental: { serverActions: { bodySizeLimit: "20mb" } },
};

export default config;
