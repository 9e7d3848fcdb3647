import type { PersonConditions } from "#lib/people/persons/filter.ts";
import type { Db } from "#lib/platform/db/connect.ts";
import { inSnapshot } from "#lib/platform/db/copy.ts";
import { matchesPerson } from "#lib/surveys/results/count/filter.ts";
import type { SurveyColumns } from "./columns.ts";
import { areFew, copyPersons } from "./columns-store.ts";

/** Which of a survey's people match conditions now: 1 by their place. */
export async function admitPersons(
  db: Db,
  projectId: number,
  columns: SurveyColumns,
  conditions: PersonConditions,
): Promise<Uint8Array> {
  const count = columns.people.length;
  const admitted = new Uint8Array(count);
  const people = areFew(count) ? Array.from({ length: count }, (_, place) => columns.personId(place)) : null;
  const { properties, static_cohort_ids } = conditions;
  await inSnapshot(db, (snapshot) =>
    copyPersons(
      snapshot,
      { project_id: projectId, people },
      { properties, cohorts: static_cohort_ids },
      ({ values, cohorts }) => {
        const known = values.map((text) => (text === null ? null : JSON.parse(text)));
        if (!matchesPerson(conditions, known, cohortsIn(cohorts))) return () => undefined;
        return (high, low) => {
          const place = columns.findPerson(high, low);
          if (place >= 0) admitted[place] = 1;
        };
      },
    ),
  );
  return admitted;
}

/** Numbers of an array as PostgreSQL writes it. */
const cohortsIn = (text: string): number[] => (text === "{}" ? [] : text.slice(1, -1).split(",").map(Number));
