import { isObject, type Json } from "#lib/engines/json.ts";
import type { MemberContext } from "#lib/flags/context.ts";
import { cohortsWithin } from "#lib/people/cohorts/filters.ts";
import { type CohortRow, cohortsOf, createCohortIn } from "#lib/people/cohorts/service.ts";
import { definitionWords } from "#lib/people/cohorts/words.ts";
import type { Db } from "#lib/platform/db/connect.ts";
import { ApiError } from "#lib/platform/http/errors.ts";
import { Unresolved } from "./references.ts";
import type { FlagImportBody, ImportedCohort } from "./transfer-contract.ts";

type File = {
  /** Names by the ids that the file uses. */
  names: Record<string, string>;
  definitions: NonNullable<FlagImportBody["cohort_definitions"]>;
  /** Whether it is from another project for certain: equal ids mean nothing then. */
  isForeign: boolean;
};

/** The cohorts of a project during an import: those that are here, and those that it makes. */
export type Cohorts = {
  /** Names by id, for words. */
  names: ReadonlyMap<string, string>;
  /** The cohort that the file means by an id, here. @throws Unresolved */
  idOf: (name: string, idInFile: string) => number;
  /** Makes those that are missing, or says what would become of them, with the cohorts that they are made of. */
  prepare: (idsInFile: readonly string[]) => Promise<void>;
  made: readonly CohortRow[];
  missing: ImportedCohort[];
};

export async function createCohorts(
  tx: Db,
  context: MemberContext,
  file: File,
  creates: boolean,
): Promise<Cohorts> {
  const live = await cohortsOf(tx, context.project.id);
  const byName = new Map(
    [...Map.groupBy(live, ({ name }) => name)].map(([name, all]) => [name, all.map(({ id }) => id)]),
  );
  const names = new Map(live.map(({ id, name }) => [String(id), name]));
  const namesInFile = new Map(Object.entries(file.names));
  const made: CohortRow[] = [];
  const missing = new Map<string, ImportedCohort>();

  function idOf(name: string, idInFile: string): number {
    const ids = byName.get(name) ?? [];
    const [only, ...others] = ids;
    if (only === undefined) throw new Unresolved(whyMissing(name, missing.get(name)));
    const same = file.isForeign ? undefined : ids.find((id) => String(id) === idInFile);
    if (others.length > 0 && same === undefined)
      throw new Unresolved(`There are ${ids.length} cohorts “${name}” here.`);
    return same ?? only;
  }

  const nested = (node: unknown): unknown => {
    if (!isObject(node)) return node;
    if (Array.isArray(node.values)) return { ...node, values: node.values.map(nested) };
    if (node.type !== "cohort") return node;
    const id = String(node.value);
    const name = namesInFile.get(id);
    if (name === undefined)
      throw new Unresolved(`The file does not name the cohort ${id.slice(0, 40)} that it refers to.`);
    return { ...node, value: idOf(name, id) };
  };

  /** @throws Unresolved or ApiError for one that cannot be made */
  async function make(name: string, { description = "", filters }: File["definitions"][string]) {
    for (const other of cohortsWithin(filters)) await prepareOne(String(other));
    const mapped = { ...filters, properties: nested(filters.properties) } as Json;
    const row = await tx.transaction((part) =>
      createCohortIn(part, context, { name, description, filters: mapped }),
    );
    byName.set(name, [row.id]);
    names.set(String(row.id), name);
    made.push(row);
  }

  async function prepareOne(id: string): Promise<void> {
    const name = namesInFile.get(id);
    if (name === undefined || byName.has(name) || missing.has(name)) return;
    const definition = Object.hasOwn(file.definitions, id) ? file.definitions[id] : undefined;
    const words = definition && definitionWords(definition.filters, { cohorts: namesInFile });
    const noted: ImportedCohort = { name, definition: words ?? null, state: "missing", reason: null };
    const note = (more: Partial<ImportedCohort>) => missing.set(name, { ...noted, ...more });
    if (!definition) {
      note({
        state: "refused",
        reason: "There is no definition of it: cohorts that list their members stay out.",
      });
      return;
    }
    // One that contains itself finds itself refused, and refers to nothing that is here.
    note({ state: "refused", reason: "It contains itself." });
    if (!creates) {
      note({});
      for (const other of cohortsWithin(definition.filters)) await prepareOne(String(other));
      return;
    }
    try {
      await make(name, definition);
      note({ state: "new" });
    } catch (error) {
      note({ state: "refused", reason: reasonOf(error) });
    }
  }

  return {
    names,
    idOf,
    made,
    get missing() {
      return [...missing.values()];
    },
    async prepare(ids) {
      for (const id of ids) await prepareOne(id);
    },
  };
}

function whyMissing(name: string, found: ImportedCohort | undefined): string {
  const absent = `There is no cohort “${name}” here.`;
  if (found?.state === "missing") return `${absent} It can be created too.`;
  return found?.reason ? `${absent} ${found.reason}` : absent;
}

/** What is said against a flag or cohort; anything else is a failure of the whole. */
export function reasonOf(error: unknown): string {
  if (error instanceof Unresolved) return error.message;
  if (error instanceof ApiError && error.status < 500)
    return error.attr ? `${error.attr}: ${error.message}` : error.message;
  throw error;
}
