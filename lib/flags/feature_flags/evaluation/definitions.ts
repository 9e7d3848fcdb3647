import { createHash } from "node:crypto";
import { type CompileInput, compileFlags } from "#lib/engines/evaluation/compile.ts";
import type { CompiledFlags } from "#lib/engines/evaluation/compiled.ts";
import type { CohortTree, FlagDefinition, Mode } from "#lib/engines/evaluation/values/types.ts";
import type { Flag, FlagCache, ProjectFlags } from "#lib/flags/feature_flags/cache.ts";
import { redactFilters } from "#lib/flags/feature_flags/filters/payloads.ts";
import type { FlagRow } from "#lib/flags/feature_flags/store.ts";
import type { CohortCache, ProjectCohorts } from "#lib/people/cohorts/cache.ts";
import { cohortIdsIn, cohortIdsOf, rowsOf } from "#lib/people/conditions/cohort-conditions.ts";
import { createProjectCache } from "#lib/platform/project-cache.ts";
import {
  type DefinitionFacts,
  type DefinitionView,
  exportedDefinition,
  isStandalone,
  withPinsWrittenOut,
} from "./definition.ts";
import { CONTENT_LENGTH, computeNamesETag } from "./etag.ts";

/** Which definitions document is requested. */
type DocumentView = DefinitionView & {
  /** Whether flags that only carry a payload are among them. */
  remote_configurations: boolean;
};

/** A definitions document, ready to be sent; `tag` names its content and its view, see tag.ts. */
export type DefinitionsDocument = { body: Buffer; tag: string };

type GroupTypes = {
  /** Name by index, the index as text. */
  mapping: Readonly<Record<string, string>>;
  indexes: ReadonlyMap<string, number>;
};

/** Everything that evaluation in a project needs, as of one moment. Never changed in place. */
export type Snapshot = {
  /** Grows with every change; equal revisions mean the same snapshot. */
  revision: number;
  flags: ProjectFlags;
  cohorts: ProjectCohorts;
  group_types: GroupTypes;
  /** All flags that are not deleted, encrypted payloads redacted. Built on first request. */
  readonly compiled: CompiledFlags;
  /** The same for callers that know nothing stored: what depends on it stays undecided. Built on first request. */
  partial: () => CompiledFlags;
  /** The definitions for SDKs; built on first request. */
  document: (view: DocumentView) => DefinitionsDocument;
  /** Names what the definitions say, in every view: the same in all processes. Computed on first request. */
  content: () => string;
};

type Parts = {
  flags: FlagCache;
  cohorts: CohortCache;
  /** Reads the group types of a project, by index. */
  readGroupTypes: (projectId: number) => Promise<readonly { index: number; name: string }[]>;
};

/** Text of definitions that depend on nothing but their own row, by that row. */
type Texts = { plain: WeakMap<FlagRow, string>; redacted: WeakMap<FlagRow, string> };

const treesOf = (cohorts: ProjectCohorts) => (id: number) => {
  const cohort = cohorts.byId.get(id);
  return cohort && !cohort.is_static ? (cohort.filters.properties ?? null) : null;
};

/** Trees of the cohorts that flags refer to, and of those that these refer to. */
function cohortTrees(flags: readonly FlagRow[], treeOf: (id: number) => unknown): Record<string, unknown> {
  const trees = new Map<number, unknown>();
  const add = (ids: number[]) => {
    for (const id of ids) {
      const tree = trees.has(id) ? null : treeOf(id);
      if (!tree) continue;
      trees.set(id, tree);
      add(cohortIdsIn(rowsOf(tree)));
    }
  };
  for (const flag of flags) add(cohortIdsOf(flag.filters));
  return Object.fromEntries(trees);
}

const redacted = new WeakMap<FlagRow, FlagRow>();

/** Encrypted payloads are not part of evaluation: anyone with the public token can evaluate. */
export function withoutSecrets(flag: FlagRow): FlagRow {
  if (!flag.has_encrypted_payloads) return flag;
  const made = redacted.get(flag) ?? { ...flag, filters: redactFilters(flag.filters) };
  redacted.set(flag, made);
  return made;
}

/** Flags with the cohorts and group types of a project that their conditions may name. */
export const compileInput = (
  { cohorts, group_types }: Pick<Snapshot, "cohorts" | "group_types">,
  flags: readonly FlagDefinition[],
  mode: Mode = "complete",
): CompileInput => ({
  mode,
  flags,
  cohorts: [...cohorts.byId.values()].map(({ id, is_static, filters }) => ({
    id,
    is_static,
    properties: (filters.properties ?? null) as CohortTree | null,
  })),
  group_type_mapping: group_types.mapping,
});

/** Compiles flags of a project. */
export const compileWith = (...input: Parameters<typeof compileInput>): CompiledFlags =>
  compileFlags(compileInput(...input));

/** Makes SDKs compare strings as strings, as evaluation here does: without it "false" is what is not "true". */
const PROPERTY_MATCHING_VERSION = 2;

function documentOf(
  view: DocumentView,
  facts: DefinitionFacts,
  live: readonly Flag[],
  groupTypes: GroupTypes,
  texts: Texts,
): Buffer {
  const flags = view.remote_configurations ? live : live.filter((flag) => !flag.is_remote_configuration);
  const parts = flags.map((flag) => {
    const cache = view.redacted && flag.has_encrypted_payloads ? texts.redacted : texts.plain;
    const known = cache.get(flag);
    if (known) return known;
    const text = JSON.stringify(exportedDefinition(withPinsWrittenOut(flag), view, facts));
    if (isStandalone(flag)) cache.set(flag, text);
    return text;
  });
  const cohorts = view.cohorts ? cohortTrees(flags, facts.treeOf) : {};
  return Buffer.from(
    `{"flags":[${parts.join(",")}],"group_type_mapping":${JSON.stringify(groupTypes.mapping)},"cohorts":${JSON.stringify(cohorts)},"property_matching_version":${PROPERTY_MATCHING_VERSION}}`,
  );
}

/** Everything that any view of the definitions shows. */
const WHOLE: DocumentView = { cohorts: true, redacted: true, remote_configurations: true };

/**
 * Names a content. What is encrypted is named by when it was changed: callers who may not see it get the name, too.
 */
function contentOf(whole: Buffer, live: readonly Flag[]): string {
  const hash = createHash("sha256").update(whole);
  for (const { id, version, updated_at, has_encrypted_payloads } of live)
    if (has_encrypted_payloads) hash.update(`${id}/${version}/${updated_at.getTime()};`);
  return hash.digest("base64url").slice(0, CONTENT_LENGTH);
}

/** A digit for each view. */
const viewName = (view: DocumentView, hasSecrets: boolean): string =>
  String(
    (view.cohorts ? 1 : 0) + (view.redacted && hasSecrets ? 2 : 0) + (view.remote_configurations ? 4 : 0),
  );

/** The definitions of the projects in use, compiled and serialized; rebuilt only for what changed. */
export function createDefinitions(parts: Parts) {
  const snapshots = new Map<number, Snapshot>();
  /** The flags of each project as they were last compiled: what has not changed since is not compiled again. */
  const lastCompiled = new Map<number, CompiledFlags>();
  const texts: Texts = { plain: new WeakMap(), redacted: new WeakMap() };
  let revisions = 0;

  const groupTypes = createProjectCache<GroupTypes>("group_types", async (projectId) => {
    const rows = await parts.readGroupTypes(projectId);
    return {
      mapping: Object.fromEntries(rows.map((row) => [String(row.index), row.name])),
      indexes: new Map(rows.map((row) => [row.name, row.index])),
    };
  });

  const make = (
    projectId: number,
    flags: ProjectFlags,
    cohorts: ProjectCohorts,
    types: GroupTypes,
  ): Snapshot => {
    const facts: DefinitionFacts = { flags: flags.byId, treeOf: treesOf(cohorts) };
    const documents = new Map<string, DefinitionsDocument>();
    const hasSecrets = flags.live.some((flag) => flag.has_encrypted_payloads);
    const bodies = new Map<string, Buffer>();
    /** Without secrets, nothing is redacted: both views are one. */
    const bodyOf = (view: DocumentView): Buffer => {
      const name = viewName(view, hasSecrets);
      const body = bodies.get(name) ?? documentOf(view, facts, flags.live, types, texts);
      bodies.set(name, body);
      return body;
    };
    let content: string | undefined;
    const nameContent = () => {
      content ??= contentOf(bodyOf(WHOLE), flags.live);
      return content;
    };
    let compiled: CompiledFlags | undefined;
    let partial: CompiledFlags | undefined;
    revisions += 1;
    return {
      revision: revisions,
      flags,
      cohorts,
      group_types: types,
      get compiled() {
        if (compiled) return compiled;
        const input = compileInput({ cohorts, group_types: types }, flags.live.map(withoutSecrets));
        compiled = compileFlags(input, lastCompiled.get(projectId));
        lastCompiled.set(projectId, compiled);
        return compiled;
      },
      partial() {
        const view = { cohorts: true, redacted: true };
        partial ??= compileWith(
          { cohorts, group_types: types },
          flags.live.map((flag) => ({ ...exportedDefinition(flag, view, facts), pins: flag.pins })),
          "partial",
        );
        return partial;
      },
      document(view) {
        const name = viewName(view, true);
        const document = documents.get(name) ?? { body: bodyOf(view), tag: nameContent() + name };
        documents.set(name, document);
        return document;
      },
      content: nameContent,
    };
  };

  const read = (how: "project" | "latest") => async (projectId: number) => {
    const types = await groupTypes[how](projectId);
    const cohorts = await parts.cohorts[how](projectId);
    const flags = await parts.flags[how](projectId);
    const known = snapshots.get(projectId);
    if (known && known.flags === flags && known.cohorts === cohorts && known.group_types === types)
      return known;
    const snapshot = make(projectId, flags, cohorts, types);
    snapshots.set(projectId, snapshot);
    return snapshot;
  };

  return {
    /** The definitions with every change that was reported before. */
    project: read("project"),
    /** The definitions as last read, without waiting for a change that is being read; for SDKs. */
    latest: read("latest"),
    /** Resolves once group types that were reported as changed have been read. */
    settled: groupTypes.settled,
    /** Marks a project's group types as changed; flags and cohorts have caches of their own. */
    changed: (projectId: number): void => groupTypes.changed(projectId),
    /** Marks all of them as changed: notifications may have been missed. */
    drop: groupTypes.drop,
    /** Calls `seen` whenever the group types of a project have been read again. */
    watch: groupTypes.watch,
    /** The group types as last read, by project; for another process that starts without its database. */
    remembered: groupTypes.remembered,
    /** Serves these group types until the database can be asked. */
    recall: groupTypes.recall,
  };
}

export type Definitions = ReturnType<typeof createDefinitions>;

export const DEFINITIONS_HEADERS = {
  "content-type": "application/json",
  "cache-control": "private, must-revalidate",
};

/** A definitions document for a caller that may have it already: 304 where If-None-Match names it. */
export function answerDefinitions(document: DefinitionsDocument, ifNoneMatch: string | null): Response {
  const etag = `W/"${document.tag}"`;
  const headers = { ...DEFINITIONS_HEADERS, etag };
  if (computeNamesETag(ifNoneMatch, etag)) return new Response(null, { status: 304, headers });
  return new Response(document.body as Uint8Array<ArrayBuffer>, { status: 200, headers });
}

/** `send_cohorts` without a value means yes. */
export function sendsCohorts(query: URLSearchParams): boolean {
  const given = query.get("send_cohorts");
  return given !== null && !["false", "0"].includes(given.toLowerCase());
}
