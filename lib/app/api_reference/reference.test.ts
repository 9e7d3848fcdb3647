import { describe, expect, it } from "vitest";
import { contracts } from "#lib/app/contracts.ts";
import { openApiDocument } from "#lib/platform/http/openapi.ts";
import { buildCurl, mayChange, missingParams, pathOf } from "./call.ts";
import { fits, type Operation, referenceOf, type Schema, type Schemas } from "./document.ts";
import { exampleOf, fieldsOf, limitsInWords, typeInWords } from "./schemas.ts";

const schemas: Schemas = {
  Variant: {
    type: "object",
    properties: { key: { type: "string" }, share: { type: "number" } },
    required: ["key"],
  },
  Node: { type: "object", properties: { next: { $ref: "#/components/schemas/Node" } }, required: ["next"] },
};
const variant: Schema = { $ref: "#/components/schemas/Variant" };

describe("typeInWords", () => {
  it.each<[Schema, string]>([
    [{ type: "string" }, "text"],
    [{ type: ["string", "null"] }, "text or null"],
    [{ type: "string", format: "date-time" }, "time"],
    [{ anyOf: [{ type: "integer" }, { type: "null" }] }, "whole number or null"],
    [{ type: "array", items: { type: "string" } }, "list of texts"],
    [{ type: "array", items: variant }, "list of Variant"],
    [{ enum: ["a", "b"] }, '"a" or "b"'],
    [{ const: true }, "true"],
    [{}, "any value"],
    [variant, "Variant"],
  ])("%j", (schema, words) => {
    expect(typeInWords(schema, schemas)).toBe(words);
  });
});

describe("limitsInWords", () => {
  it.each<[Schema, string[]]>([
    [{ minLength: 1, maxLength: 400 }, ["1 to 400 characters"]],
    [{ maxItems: 100 }, ["up to 100 entries"]],
    [{ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }, []],
    [{ minimum: 0, maximum: 100 }, ["0 to 100"]],
    [{ default: "person" }, ['"person" when absent']],
  ])("%j", (schema, words) => {
    expect(limitsInWords(schema)).toEqual(words);
  });
});

describe("fieldsOf", () => {
  it("looks through references, lists and alternatives", () => {
    for (const schema of [
      variant,
      { type: "array", items: variant },
      { anyOf: [{ type: "null" }, variant] },
      { type: "object", additionalProperties: variant },
    ] satisfies Schema[])
      expect(fieldsOf(schema, schemas).map((field) => [field.name, field.required])).toEqual([
        ["key", true],
        ["share", false],
      ]);
  });
  it("goes one level at a time, so that circles end", () => {
    expect(fieldsOf({ $ref: "#/components/schemas/Node" }, schemas)[0]?.inner).not.toBeNull();
  });
  it("has nothing to show of plain values", () => {
    expect(fieldsOf({ type: "string" }, schemas)).toEqual([]);
  });
});

describe("exampleOf", () => {
  it("fills what is required, and ends in circles", () => {
    expect(exampleOf(variant, schemas)).toEqual({ key: "" });
    expect(JSON.stringify(exampleOf({ $ref: "#/components/schemas/Node" }, schemas))).toBe(
      '{"next":{"next":{"next":{"next":{}}}}}',
    );
  });
});

const reference = referenceOf(openApiDocument(contracts, "1.2.3"));
const all = reference?.groups.flatMap((group) => group.operations) ?? [];
const named = (id: string): Operation => {
  const found = all.find((operation) => operation.id === id);
  if (!found) throw new Error(`no ${id}`);
  return found;
};

describe("our own document", () => {
  it("shows every endpoint of every contract once", () => {
    const declared = Object.values(contracts).flatMap((contract) => Object.values(contract));
    expect(all).toHaveLength(declared.length);
    expect(new Set(all.map((operation) => operation.id)).size).toBe(all.length);
    expect(reference?.version).toBe("1.2.3");
  });
  it("finds every field described, and every path parameter", () => {
    for (const operation of all) {
      expect(operation.parameters.filter((each) => each.in === "path").map((each) => each.name)).toEqual(
        [...operation.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]),
      );
      for (const parameter of operation.parameters) expect(parameter.description).not.toBe("");
    }
  });
  it("asks before what changes something, not before questions", () => {
    expect(mayChange(named("feature_flags_create"))).toBe(true);
    expect(mayChange(named("feature_flags_bulk_keys"))).toBe(false);
    expect(mayChange(named("feature_flags_list"))).toBe(false);
  });
  it.each([
    ["create flag", "feature_flags_create", true],
    ["POST survey:write", "surveys_create", true],
    ["survey", "feature_flags_create", false],
    ["", "users_retrieve", true],
  ])("searching %j finds %s: %s", (search, id, found) => {
    expect(fits(named(id), search)).toBe(found);
  });
});

it("fills in paths", () => {
  const one = named("feature_flags_retrieve");
  expect(pathOf(one, { project_id: "@current", id: "a/b" })).toBe(
    "/api/projects/@current/feature_flags/a%2Fb/",
  );
  expect(missingParams(one, { project_id: "1", id: " " })).toEqual(["id"]);
});

it("writes curl commands that a shell takes as they are meant", () => {
  const filled = { params: { project_id: "1" }, query: {}, body: '{\n "key": "it\'s" }' };
  expect(buildCurl(named("feature_flags_create"), "https://x.test", filled)).toBe(
    [
      "curl -X POST https://x.test/api/projects/1/feature_flags/ \\",
      '  -H "Authorization: Bearer $SWITCHYARD_API_KEY" \\',
      "  -H 'Content-Type: application/json' \\",
      `  -d '{"key":"it'\\''s"}'`,
    ].join("\n"),
  );
  const search = { params: { project_id: "1" }, query: { search: "a&b", limit: "" }, body: null };
  expect(buildCurl(named("feature_flags_list"), "https://x.test", search)).toContain(
    "curl 'https://x.test/api/projects/1/feature_flags/?search=a%26b'",
  );
});

it.each([[null], [{}], [{ paths: [] }], ["text"]])("refuses %j as a document", (document) => {
  expect(referenceOf(document)).toBeNull();
});
