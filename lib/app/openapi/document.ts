import { contracts } from "#lib/app/contracts.ts";
import { healthContract } from "#lib/app/server/health-contract.ts";
import { withApprovals } from "#lib/approvals/change_requests/calls.ts";
import { openContract } from "#lib/flags/sdk/contract.ts";
import { openApiDocument } from "#lib/platform/http/openapi.ts";

/** The OpenAPI document of everything that is mounted, and of what the server in front answers itself. */
export const apiDocument = (version: string) =>
  openApiDocument({ ...withApprovals(contracts), open: openContract, health: healthContract }, version);
