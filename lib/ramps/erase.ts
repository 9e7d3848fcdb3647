import type { EraseStep } from "#lib/people/erasures/step.ts";
import { erasePeople, selectPeopleOf } from "./people-store.ts";

/**
 * Takes an erased person out of ramps: the figures of a step that runs are added up without the person from then on.
 * Those of steps that have ended were what was decided by; they are sums, and stay.
 */
export const eraseRampPeople: EraseStep = {
  stored: async (db, { project_id, person_ids }) => ({
    ramp_people: await selectPeopleOf(db, project_id, person_ids),
  }),
  person: async (tx, { project_id, person_ids }) => ({
    ramp_people: await erasePeople(tx, project_id, person_ids),
  }),
};
