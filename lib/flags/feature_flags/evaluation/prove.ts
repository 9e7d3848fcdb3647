import type { CompiledFlag, CompiledFlags } from "#lib/engines/evaluation/compiled.ts";
import type { Row } from "#lib/engines/evaluation/match.ts";
import { type Finding, prove as proveFlag, type Witness } from "#lib/engines/evaluation/proofs/prove.ts";
import { findSameFlags } from "#lib/engines/evaluation/proofs/same-flags.ts";
import { YES } from "#lib/engines/evaluation/values/verdict.ts";
import type { MemberContext } from "#lib/flags/context.ts";
import { findNeverSeen, type PropertyName } from "#lib/people/property_definitions/service.ts";
import type { Input } from "#lib/platform/http/contract.ts";
import { invalid } from "#lib/platform/http/errors.ts";
import { compileInput, type Snapshot } from "./definitions.ts";
import { compileProposed, readProposal } from "./proposal.ts";
import type { ProveAnswer, proveContract } from "./prove-contract.ts";

type Of = Input<(typeof proveContract)["prove"]>;
type Answered = ProveAnswer["findings"][number];

/** A flag and those it depends on: a proof evaluates many people, who need not meet all flags of a project. */
function withDependencies(compiled: CompiledFlags, flag: CompiledFlag): CompiledFlag[] {
  const found = new Set([flag]);
  for (const each of found)
    for (const index of each.dependencies) {
      const dependency = compiled.flags[index];
      if (dependency) found.add(dependency);
    }
  return [...found];
}

/** Properties that a row needs somebody to have, with the rows that do. */
function neededProperties(flag: CompiledFlag, { group_types }: Snapshot) {
  const needed: { set: number; row: number; property: PropertyName }[] = [];
  const add = (row: Row, set: number, place: number, group: string | null) => {
    if (row.kind !== "property" || row.comparison.absent === YES || row.comparison.problem !== null) return;
    const type = row.group_type ?? group;
    const group_type_index = type === null ? null : (group_types.indexes.get(type) ?? null);
    const isId = row.key === (type === null ? "distinct_id" : "$group_key");
    if (!isId && row.key !== "" && (type === null || group_type_index !== null))
      needed.push({ set, row: place, property: { name: row.key, group_type_index } });
  };
  for (const { rows, index, shares_source, group_type } of flag.conditions) {
    const group = shares_source ? flag.group_type : group_type;
    for (const [place, row] of rows.entries()) add(row, index, place, group);
  }
  return needed;
}

async function findUnknownProperties(
  context: MemberContext,
  snapshot: Snapshot,
  flag: CompiledFlag,
): Promise<Answered[]> {
  const needed = neededProperties(flag, snapshot);
  const unseen = await findNeverSeen(
    context,
    needed.map(({ property }) => property),
  );
  return needed
    .filter((_, i) => unseen[i])
    .map(({ set, row, property: { name, group_type_index } }) => ({
      code: "unknown_property",
      set: set + 1,
      row: row + 1,
      message: `No stored ${group_type_index === null ? "person" : "group"} has the property "${name}".`,
      witness: null,
    }));
}

const place = (index: number | null) => (index === null ? null : index + 1);

const witnessOf = (found: Witness | null) =>
  found && { ...found, decided_by: place(found.decided_by), failing_row: place(found.failing_row) };

const answered = ({ set, row, witness, ...finding }: Finding): Answered => ({
  ...finding,
  set: place(set),
  row: place(row),
  witness: witnessOf(witness),
});

const sameFlag = (key: string): Answered => ({
  code: "same_flag",
  set: null,
  row: null,
  message: `The flag "${key}" has the same value for everybody.`,
  witness: null,
});

export async function prove(context: MemberContext, { body }: Of): Promise<ProveAnswer> {
  const { runtime, project, now } = context;
  if ((body.id ?? null) === null && !body.draft)
    throw invalid("Give the id of a stored flag, or send a draft.", "id", "required");
  const snapshot = await runtime.definitions.project(project.id);
  const proposal = await readProposal(context, snapshot, {
    ...(body.draft && { ...body.draft, deleted: false }),
    id: body.id,
  });
  if (!proposal.definition) throw invalid("Deleted flags are not looked at.", "id");
  // Of a flag that is off it is of interest who would get in if it were on.
  // It proves what the condition sets say.
  const definition = { ...proposal.definition, active: true, pins: [] };
  const compiled = compileProposed(snapshot, [{ ...proposal, definition }]);
  const flag = compiled.by_key.get(proposal.key);
  const found =
    flag &&
    proveFlag(
      compileInput(
        snapshot,
        withDependencies(compiled, flag).map((each) => each.definition),
      ),
      flag.key,
      now.getTime(),
    );
  if (!flag || !found) throw new Error(`Flag ${proposal.key} was not compiled.`);
  return {
    findings: [
      ...found.findings.map(answered),
      ...(await findUnknownProperties(context, snapshot, flag)),
      ...findSameFlags(compiled, flag, now.getTime()).slice(0, 1).map(sameFlag),
    ],
    sets: found.sets.map(({ witness, ...set }, index) => ({
      set: index + 1,
      ...set,
      witness: witnessOf(witness),
    })),
  };
}
