"use client";

import { useMemo } from "react";
import type { Example, Warning } from "#components/conditions/editor/filters-context.tsx";
import { useEndpoint } from "#components/kit/use-endpoint.ts";
import type { ProveAnswer, proveContract } from "#lib/flags/feature_flags/evaluation/prove-contract.ts";
import type { FlagBody } from "./form-values.ts";

type Proven = { warnings: readonly Warning[]; examples: readonly (Example | null)[] };

const nameOf = ({ set, row, message }: Warning) => JSON.stringify([set, row, message]);
const place = (number: number | null) => (number === null ? null : number - 1);

/** What was found while typing, with examples, and after it what only the service can find. */
function join(warnings: readonly Warning[], { findings, sets }: ProveAnswer): Proven {
  const found = findings.map(
    ({ set, row, message, witness }): Warning => ({
      set: place(set),
      row: place(row),
      message,
      example: witness,
    }),
  );
  const byName = new Map(found.map((finding) => [nameOf(finding), finding]));
  const known = new Set(warnings.map(nameOf));
  return {
    warnings: [
      ...warnings.map((warning) => byName.get(nameOf(warning)) ?? warning),
      ...found.filter((finding) => !known.has(nameOf(finding))),
    ],
    examples: sets.map(({ witness }) => witness),
  };
}

/**
 * The warnings on a draft with an example for each, and an example for each set. They come from the service a moment
 * after the draft was last changed; until then, and while the draft could not be saved, the warnings are as found here.
 *
 * @param settled the draft as it was when it was last left alone
 */
export function useProof(
  projectId: string,
  flagId: number | null,
  settled: FlagBody,
  isSettled: boolean,
  warnings: readonly Warning[],
): Proven {
  const { key, filters, ensure_experience_continuity, has_encrypted_payloads } = settled;
  const draft = {
    ...(key && { key }),
    filters,
    ensure_experience_continuity: ensure_experience_continuity ?? false,
    has_encrypted_payloads: has_encrypted_payloads ?? false,
  };
  const { data } = useEndpoint<typeof proveContract.prove>(
    "/api/projects/{project_id}/feature_flags/prove/",
    { params: { project_id: projectId }, body: { id: flagId, draft } },
    { enabled: isSettled, retry: false },
  );
  return useMemo(
    () => (data && isSettled ? join(warnings, data) : { warnings, examples: [] }),
    [data, isSettled, warnings],
  );
}
