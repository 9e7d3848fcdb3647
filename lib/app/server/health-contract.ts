import { z } from "zod";
import type { Contract } from "#lib/platform/http/contract.ts";

const up = z.object({ status: z.literal("ok") });

const unavailable = z.object({
  status: z.literal("unavailable"),
  reason: z.string().meta({ description: "Why the server cannot serve requests now." }),
});

const shared = {
  method: "GET",
  tag: "Health",
  scope: null,
  credential: "none",
  status: 200,
  response: up,
  onlyDeclared: true,
} as const;

/** What monitoring and load balancers ask; the server answers in front of everything else. */
export const healthContract = {
  live: {
    ...shared,
    path: "/healthz",
    summary: "Check whether the process is up",
    description: "Answers whatever the database does.",
  },
  ready: {
    ...shared,
    path: "/readyz",
    summary: "Check whether the server can serve requests",
    also: {
      503: {
        description: "It is starting or stopping, or its database does not respond.",
        body: unavailable,
      },
    },
  },
  metrics: {
    ...shared,
    path: "/metrics",
    summary: "Read metrics for Prometheus",
    description:
      "Figures of all processes behind this address, for whoever sends METRICS_TOKEN as a bearer token. See docs/operations.md.",
    response: undefined,
    media: ["text/plain"],
    onlyDeclared: false,
  },
} satisfies Contract;
