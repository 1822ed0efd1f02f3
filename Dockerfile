# The worker. Debian and not Alpine: the native core of the Temporal SDK is built for glibc.
FROM node:24.21.0-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
# Its own script `dependencies` would build, and the sources are not there yet.
RUN npm ci --ignore-scripts
COPY . .
# These agents have python(). pyodide is optional, so to npm it is a tool of development here.
RUN npm run build && mv node_modules/pyodide . \
  && npm prune --omit=dev --ignore-scripts && mv pyodide node_modules/

FROM node:24.21.0-bookworm-slim
# The SDK verifies a Temporal server's TLS certificate with the system's authorities; slim images have none.
RUN apt-get update \
  && apt-get install -y --no-install-recommends ca-certificates \
  && rm -rf /var/lib/apt/lists/*
ENV NODE_ENV=production
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
# The agents it runs; a config of your own goes here.
COPY --from=build /app/examples ./examples
COPY --from=build /app/reloop.config.ts ./
USER node
CMD ["node", "dist/cli/main.js", "worker"]
