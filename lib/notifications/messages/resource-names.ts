import { selectExperimentNames } from "#lib/experiments/experiments/store.ts";
import type { MemberContext } from "#lib/notifications/context.ts";
import { DATABASE_INTEGER_MAX } from "#lib/platform/http/params.ts";
import { selectSurveysById } from "#lib/surveys/surveys/store.ts";
import type { ResourceType } from "./types-schema.ts";

type Resource = { type: ResourceType; id: string };

const nameOf = ({ type, id }: Resource): string => `${type}/${id}`;

const numberIn = (id: string): number | null => {
  const value = /^\d{1,10}$/.test(id) ? Number(id) : null;
  return value !== null && value <= DATABASE_INTEGER_MAX ? value : null;
};

/** What flags, experiments and surveys of a project are called, by `type/id`; without those that it does not have. */
export async function namesOfResources(
  { runtime, db, project }: Pick<MemberContext, "runtime" | "db" | "project">,
  resources: readonly Resource[],
): Promise<ReadonlyMap<string, string>> {
  const numbers = resources.flatMap(({ type, id }) => (type === "experiment" ? (numberIn(id) ?? []) : []));
  const uuids = resources.flatMap(({ type, id }) => (type === "survey" ? id : []));
  const [flags, surveys, experiments] = await Promise.all([
    runtime.flags.project(project.id),
    selectSurveysById(db, project.id, uuids),
    numbers.length > 0 ? selectExperimentNames(db, project.id, numbers) : new Map<number, string>(),
  ]);
  const find = ({ type, id }: Resource): string | undefined => {
    if (type === "experiment") return experiments.get(numberIn(id) ?? 0);
    if (type === "survey") return surveys.find((survey) => survey.id === id)?.name;
    const flag = flags.byId.get(numberIn(id) ?? 0);
    return flag && !flag.deleted ? flag.key : undefined;
  };
  return new Map(
    resources.flatMap((resource) => {
      const name = find(resource);
      return name === undefined ? [] : [[nameOf(resource), name] as const];
    }),
  );
}
