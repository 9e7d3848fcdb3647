import { permitted } from "#lib/app/session/permitted.ts";
import { flagContract } from "#lib/flags/feature_flags/contract.ts";
import { environmentContract } from "#lib/identity/environments/contract.ts";
import { organizationContract } from "#lib/identity/organizations/contract.ts";
import { cohortContract } from "#lib/people/cohorts/contract.ts";
import { eventContract } from "#lib/people/events/contract.ts";
import { personContract } from "#lib/people/persons/contract.ts";
import type { Client } from "#lib/platform/http/client.ts";

const MEMBERS = "200";
const ALL = "1000";
const ONE = "1";

/** The organization and its members; null for what the key may not read. */
export async function organizationOf(api: Client, organization_id: string) {
  const params = { organization_id };
  const [organization, members] = await Promise.all([
    permitted(api.call(organizationContract.retrieve, { params })),
    permitted(api.call(organizationContract.members, { params, query: { limit: MEMBERS } })),
  ]);
  return { organization, members };
}

/** Which projects of an organization are environments of one another; null where the key may not read it. */
export async function environmentGroupsOf(api: Client, organization_id: string) {
  const found = await permitted(
    api.call(environmentContract.list, { params: { organization_id }, query: { limit: ALL } }),
  );
  return found?.results ?? null;
}

/** The projects of an organization; null where the key may not read it. */
export async function projectsOf(api: Client, organization_id: string) {
  const found = await permitted(
    api.call(organizationContract.projects, { params: { organization_id }, query: { limit: ALL } }),
  );
  return found?.results.map(({ id, name }) => ({ id, name })) ?? null;
}

/** How much a project holds; null for what the key may not read. */
export async function readHoldings(api: Client, project_id: string) {
  const call = { params: { project_id }, query: { limit: ONE } };
  const [flags, cohorts, people, events] = await Promise.all([
    permitted(api.call(flagContract.list, call)),
    permitted(api.call(cohortContract.list, call)),
    permitted(api.call(personContract.list, call)),
    permitted(api.call(eventContract.list, call)),
  ]);
  return {
    flags: flags?.count ?? null,
    cohorts: cohorts?.count ?? null,
    people,
    last_event: events && { at: events.results[0]?.timestamp ?? null },
  };
}
