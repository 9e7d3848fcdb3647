import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Changes, copyChanged, insert } from "#testing/changed-copy.ts";
import { type Process, startProcess } from "#testing/processes.ts";

const root = join(import.meta.dirname, "../..");
/** The pages too; building them takes minutes, so that is left to `npm run nightly`. */
const WITH_PAGES = process.env.RECIPES_WITH_PAGES === "1";

const clone = (original: string, change: (text: string) => string) => () =>
  change(readFileSync(join(root, original), "utf8"));

/** A flag's team: stored, filterable, shown in the form and in the list, restorable. */
const FLAG_FIELD: Changes = {
  "lib/platform/db/tables/feature_flags.ts": insert([
    'last_called_at: moment("last_called_at"),\n  },\n  (t) => [\n    uniqueIndex("feature_flags_key")',
    'team: text("team").notNull().default(""),',
  ]),
  "lib/flags/feature_flags/schema.ts": insert(
    [
      "last_called_at: {",
      `team: {
        write: z.string().meta({ description: "The team that owns it." }), read: z.string(), initial: "", logged: 99,
        restorable: true, editable: true, label: "Team", words: (team) => String(team),
      },`,
    ],
    ["excluded_properties: text(", 'team: text("Name of a team."),'],
  ),
  "lib/flags/feature_flags/list.ts": insert([
    "excluded_properties: (json)",
    "team: (team) => (flag) => flag.team === team,",
  ]),
  "components/feature_flags/list/list-query.ts": insert(
    ['tags: texts("tag")', "team: text(),"],
    ["tags: query.tags", "team: query.team || undefined,"],
  ),
  "components/feature_flags/list/list-filters.tsx": insert([
    '<Field label="Any of these tags">',
    `<Field label="Team"><ChipsInput values={query.team ? [query.team] : []} options={[]} freeText="Team"
      onValuesChange={([team = ""]) => go({ team })} /></Field>`,
  ]),
  "components/feature_flags/basics-fields.tsx": (text) =>
    insert(
      ['const tags = useController<FlagForm, "tags">', "const { register } = useFormContext<FlagForm>();"],
      ['<Field label="Tags"', '<Field label="Team"><Textarea rows={1} {...register("team")} /></Field>'],
    )(text),
};

/** A long text, which is asked as a text is. */
const QUESTION_KIND: Changes = {
  "lib/engines/branching/question.ts": insert([
    "link: Fields &",
    "essay: Fields & { placeholder?: unknown; validation?: unknown };",
  ]),
  "lib/engines/branching/answers.ts": insert([
    "link: { sample:",
    'essay: { sample: () => "Long", rules: null },',
  ]),
  "lib/surveys/surveys/questions/question_kinds/essay.ts": () => `
    import type { QuestionOf } from "#lib/engines/branching/question.ts";
    import { type QuestionKind, SOME } from "./kind.ts";
    export const ESSAY = {
      name: "Essay", summary: "Long text", schema: {}, empty: {}, problems: () => [], canBeInstant: () => false,
      encode: () => SOME, figures: () => "texts", isMultiple: false,
    } satisfies QuestionKind<QuestionOf<"essay">>;`,
  "lib/surveys/surveys/questions/question_kinds/kinds.ts": insert(
    ["import { LINK }", 'import { ESSAY } from "./essay.ts";'],
    ["rating: RATING,", "essay: ESSAY,"],
  ),
  "lib/surveys/hosted/card/essay.ts": () => `
    import type { QuestionOf } from "#lib/engines/branching/question.ts";
    import type { ControlOf } from "./control.ts";
    import { openControl } from "./open.ts";
    export const essayControl: ControlOf<QuestionOf<"essay">> = (shown) => openControl(shown);`,
  "lib/surveys/hosted/card/controls.ts": insert(
    ["import { linkControl }", 'import { essayControl } from "./essay.ts";'],
    ["link: linkControl,", "essay: essayControl,"],
  ),
  "components/surveys/questions/kind-fields.tsx": insert(["rating: RatingFields,", "essay: LengthField,"]),
  "components/surveys/question-kinds.tsx": insert([
    "link: { icon: Link2",
    'essay: { icon: MessageSquareText, operators: ["icontains", ...ATTENDED] },',
  ]),
};

/** A sum, counted as the one that exists. */
const METRIC_KIND: Changes = {
  "lib/experiments/metric_kinds/total.ts": clone("lib/experiments/metric_kinds/mean.ts", (text) =>
    text
      .replace('z.literal("mean")', 'z.literal("total")')
      .replace("ExperimentMeanMetric", "ExperimentTotalMetric")
      .replace("export const mean", "export const total"),
  ),
  "lib/experiments/metric_kinds/metric-schema.ts": insert(['"retention"] as const', '"total",']),
  "lib/experiments/metric_kinds/metric-kinds.ts": insert(
    ["import { retention }", 'import { total } from "./total.ts";'],
    ["retention.schema]", "total.schema,"],
    ["retention };", "total,"],
  ),
  "components/metrics/metric-words.ts": insert([
    "ratio: {\n    label",
    `total: { label: "Total", description: "Per person.", text: ({ source }) => sourceText(source),
      name: ([event = ""]) => event, value: "Per person", total: "Total" },`,
  ]),
  "components/metrics/metric-fields.tsx": insert(["ratio: RatioFields,", "total: MeanFields,"]),
};

const RECIPES = { FLAG_FIELD, QUESTION_KIND, METRIC_KIND };
const CHANGED = Object.values(RECIPES).flatMap((changes) => Object.keys(changes));
const MOST = { FLAG_FIELD: 6, QUESTION_KIND: 8, METRIC_KIND: 8 };

let copy: ReturnType<typeof copyChanged>;
let service: Process;

beforeAll(async () => {
  copy = copyChanged(Object.assign({}, ...Object.values(RECIPES)), [
    "drizzle.config.ts",
    "next.config.mjs",
    ".postcssrc.json",
  ]);
  const { status, output } = copy.run("drizzle-kit", "generate", "--name", "recipes");
  expect(status, output).toBe(0);
  if (WITH_PAGES) {
    // The bundler wants the packages within the project.
    rmSync(join(copy.folder, "node_modules"));
    execFileSync("cp", ["-al", join(root, "node_modules"), join(copy.folder, "node_modules")]);
    execFileSync(process.execPath, ["lib/app/server/build.ts"], { cwd: copy.folder, stdio: "inherit" });
  }
  service = await startProcess(
    { DATA_DIR: join(copy.folder, "data") },
    WITH_PAGES ? [] : ["--api-only"],
    copy.folder,
  );
}, 600_000);

afterAll(async () => {
  await service?.end("SIGTERM");
  copy?.remove();
});

it.each(["FLAG_FIELD", "QUESTION_KIND", "METRIC_KIND"] as const)(
  "%s changes as few files as its recipe says",
  (name) => {
    const recipes = readFileSync(join(root, "docs/recipes.md"), "utf8");
    const files = Object.keys(RECIPES[name]);
    expect(files.length).toBeLessThanOrEqual(MOST[name]);
    for (const file of files.filter((path) => existsSync(join(root, path)))) expect(recipes).toContain(file);
  },
);

describe("a copy in which all three recipes were followed", () => {
  it("passes the type check", () => {
    expect(copy.typeCheck(CHANGED)).toEqual([]);
  });

  it("stores, filters, logs and restores the field of flags", async () => {
    const flags = "/api/projects/1/feature_flags/";
    const made = await service.call("POST", flags, { key: "recipe", team: "growth" });
    expect(made).toMatchObject({ status: 201, json: { team: "growth" } });
    const flag = `${flags}${made.json.id}/`;
    expect((await service.call("PATCH", flag, { team: "core" })).json).toMatchObject({ team: "core" });
    const found = async (team: string) => (await service.call("GET", `${flags}?team=${team}`)).json.count;
    expect([await found("core"), await found("growth")]).toEqual([1, 0]);
    const { json } = await service.call("GET", `${flag}activity/`);
    expect(JSON.stringify(json)).toContain('"field":"team"');
    const versions = await service.call("GET", `${flag}versions/`);
    expect(versions.json.results.map((version: { flag: object }) => version.flag)).toMatchObject([
      { team: "core" },
      { team: "growth" },
    ]);
  });

  it("asks the question and counts its answers", async () => {
    const surveys = "/api/projects/1/surveys/";
    const questions = [{ type: "essay", question: "Tell us all about it." }];
    const made = await service.call("POST", surveys, {
      name: "Essays",
      type: "external_survey",
      questions,
      start_date: new Date().toISOString(),
    });
    expect(made).toMatchObject({ status: 201, json: { questions } });
    const page = await fetch(`${service.address}/external_surveys/${made.json.id}`);
    expect(page.status).toBe(200);
    expect(await page.text()).toContain("<textarea");
  });

  it("takes the metric", async () => {
    const made = await service.call("POST", "/api/projects/1/experiments/", {
      name: "Totals",
      feature_flag_key: "totals",
      metrics: [
        { kind: "ExperimentMetric", metric_type: "total", source: { kind: "EventsNode", event: "paid" } },
      ],
    });
    expect(made).toMatchObject({ status: 201, json: { metrics: [{ metric_type: "total" }] } });
  });

  if (WITH_PAGES)
    it("builds and serves its pages", async () => {
      expect((await fetch(`${service.address}/sign-in`)).status).toBe(200);
    });
});
