import { authorOf, record } from "#lib/activity/service.ts";
import { evaluateFlag } from "#lib/engines/evaluation/evaluate.ts";
import type { MemberContext } from "#lib/flags/context.ts";
import { flagEntry } from "#lib/flags/feature_flags/history/changes.ts";
import { flagOf } from "#lib/flags/feature_flags/service.ts";
import type { EraseStep } from "#lib/people/erasures/step.ts";
import { inTransaction } from "#lib/platform/db/connect.ts";

import type { Input } from "#lib/platform/http/contract.ts";
import { invalid, notFound } from "#lib/platform/http/errors.ts";
import { instant } from "#lib/platform/http/instant.ts";
import { neighbours } from "#lib/platform/http/paging.ts";
import { TEST_CASES_MAX, type testCasesContract } from "./pinned-cases-contract.ts";
import {
  deleteTestCase,
  deleteTestCasesOf,
  insertTestCase,
  selectTestCases,
  selectTestCasesOf,
  type TestCaseRow,
} from "./pinned-cases-store.ts";
import { changeOf } from "./who-changes.ts";

type Of<Name extends keyof typeof testCasesContract> = Input<(typeof testCasesContract)[Name]>;

const recordOf = ({ flag_id: _flag, created_by_id: _user, created_at, ...row }: TestCaseRow) => ({
  ...row,
  created_at: instant(created_at),
});

const change = (action: "created" | "deleted", row: TestCaseRow) => ({
  type: "FeatureFlag",
  action,
  field: "test_cases",
  before: action === "deleted" ? row.name : null,
  after: action === "created" ? row.name : null,
});

export async function test_cases(context: MemberContext, { params, query }: Of<"test_cases">) {
  const rows = await selectTestCases(context.db, (await flagOf(context, params.id)).id);
  return {
    count: rows.length,
    ...neighbours(context.url, query, rows.length),
    results: rows.slice(query.offset, query.offset + query.limit).map(recordOf),
  };
}

export async function create_test_case(context: MemberContext, { params, body }: Of<"create_test_case">) {
  const flag = await flagOf(context, params.id);
  const row = await inTransaction(context.db, async (tx) => {
    const wanted = { ...body, flag_id: flag.id, created_by_id: context.user.id, created_at: context.now };
    const made = await insertTestCase(tx, wanted, TEST_CASES_MAX);
    if (!made) throw invalid(`A flag can have at most ${TEST_CASES_MAX} test cases.`);
    await record(tx, {
      ...flagEntry(authorOf(context), flag, "updated"),
      changes: [change("created", made)],
    });
    return made;
  });
  return recordOf(row);
}

export async function destroy_test_case(context: MemberContext, { params }: Of<"destroy_test_case">) {
  const flag = await flagOf(context, params.id);
  await inTransaction(context.db, async (tx) => {
    const gone = await deleteTestCase(tx, flag.id, params.test_case_id);
    if (!gone) throw notFound();
    await record(tx, {
      ...flagEntry(authorOf(context), flag, "updated"),
      changes: [change("deleted", gone)],
    });
  });
  return undefined;
}

export async function check_test_cases(context: MemberContext, { params, body }: Of<"check_test_cases">) {
  const { after, key } = await changeOf(context, { ...body, id: params.id });
  const rows = await selectTestCases(context.db, params.id);
  const results = rows.map((row) => {
    const found = evaluateFlag(after, key, { ...row, now: context.now.getTime() });
    const value = found?.value ?? false;
    return {
      id: row.id,
      name: row.name,
      expected: row.expected,
      value,
      passed: value === row.expected,
      reason: found?.reason ?? "disabled",
    };
  });
  const passed = results.filter((result) => result.passed).length;
  return { passed, failed: results.length - passed, results };
}

/** Test cases that name somebody go with them. */
export const eraseTestCases: EraseStep = {
  stored: async (db, { project_id, distinct_ids }) => ({
    feature_flag_test_cases: await selectTestCasesOf(db, project_id, distinct_ids),
  }),
  person: async (tx, { project_id, distinct_ids }) => ({
    feature_flag_test_cases: await deleteTestCasesOf(tx, project_id, distinct_ids),
  }),
};
