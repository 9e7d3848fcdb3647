# The embedded PostgreSQL needs glibc, so the image is Debian and not Alpine.
FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
# Without install scripts: the one of this project needs its sources, and the build below does its work.
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
# A build is reused only by the Node version that made it: run the image's own here and below, not the npm package.
RUN /usr/local/bin/node lib/app/server/build.ts \
  && rm -rf .next/cache \
  && npm prune --omit=dev --ignore-scripts --no-audit --no-fund \
  && mkdir data

FROM node:24-bookworm-slim
WORKDIR /app
COPY --from=build --chown=node:node /app ./
USER node
ENV HOST=0.0.0.0 PORT=3000 DATA_DIR=/app/data
VOLUME /app/data
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/readyz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "lib/app/server/start.ts"]
