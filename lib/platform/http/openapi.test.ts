import { expect, it } from "vitest";
import { z } from "zod";
import type { Credential, Endpoint } from "./contract.ts";
import { openApiDocument } from "./openapi.ts";

const described = { tag: "things", summary: "A thing.", scope: null, status: 200 } as const;
const thing = z.object({ id: z.number().meta({ description: "Its id." }) });
const retrieve: Endpoint = {
  ...described,
  method: "GET",
  path: "/api/things/{id}/",
  description: "In more words.",
  scope: "survey:read",
  params: z.object({ id: z.string().meta({ description: "Id of the thing." }) }),
  query: z.object({ color: z.string().optional().meta({ description: "Its color." }) }),
  response: thing,
};
const update: Endpoint = { ...retrieve, method: "PATCH", body: thing, description: undefined };
const remove: Endpoint = { ...described, method: "DELETE", path: "/api/things/{id}/", status: 405 };

const pathOf = (endpoints: Record<string, Endpoint>) =>
  openApiDocument({ things: endpoints }, "1.2.3").paths?.["/api/things/{id}/"];

it("describes an endpoint with its parameters, body, answer, errors and scope", () => {
  const get = pathOf({ retrieve, update, remove })?.get;
  expect(get).toMatchObject({
    operationId: "things_retrieve",
    tags: ["things"],
    summary: "A thing.",
    description: "In more words.",
    "x-scope": "survey:read",
    security: [{ personal_api_key: [] }],
    parameters: [
      { in: "path", name: "id", required: true },
      { in: "query", name: "color" },
    ],
    responses: { "200": { description: "Success." } },
  });
  const usual = ["200", "400", "401", "403", "404", "429", "431", "500", "503"];
  expect(Object.keys(get?.responses ?? {})).toEqual(usual);
  const change = pathOf({ retrieve, update, remove })?.patch;
  expect(Object.keys(change?.responses ?? {})).toEqual([...usual, "409", "413", "415"].sort());
  expect(get?.responses?.["404"]).toEqual({
    description: "No such project or record.",
    content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
  });
  expect(get?.responses?.["200"]).toMatchObject({
    content: { "application/json": { schema: { properties: { id: { type: "number" } } } } },
  });
  expect(get).not.toHaveProperty("requestBody");
});

it("keeps the methods of a path together, and leaves out what an endpoint does not have", () => {
  const path = pathOf({ retrieve, update, remove });
  expect(Object.keys(path ?? {})).toEqual(["get", "patch", "delete"]);
  expect(path?.patch?.requestBody).toMatchObject({
    content: { "application/json": { schema: { properties: { id: { type: "number" } } } } },
  });
  for (const absent of ["description", "x-scope", "requestBody"])
    expect(path?.delete).not.toHaveProperty(absent);
  expect(path?.patch).not.toHaveProperty("description");
  expect(path?.delete?.responses?.["405"]).toEqual({ description: "Never allowed." });
});

it("describes other media types, other answers and other paths", () => {
  const file: Endpoint = {
    ...retrieve,
    media: ["application/json", "text/csv"],
    also: {
      304: { description: "Unchanged." },
      404: { description: "No thing, in its own words.", body: z.object({ missing: z.boolean() }) },
      422: { description: "The page again.", media: ["text/html"] },
    },
    aliases: ["/api/other/{id}/"],
  };
  const { paths } = openApiDocument({ things: { file } }, "1.2.3");
  const responses = paths?.["/api/things/{id}/"]?.get?.responses;
  expect(responses).toMatchObject({
    "200": { content: { "text/csv": { schema: { type: "string" } } } },
    "304": { description: "Unchanged." },
    "404": {
      description: "No such project or record. Or: No thing, in its own words.",
      content: {
        "application/json": {
          schema: {
            anyOf: [{ $ref: "#/components/schemas/Error" }, { properties: { missing: { type: "boolean" } } }],
          },
        },
      },
    },
    "422": { description: "The page again.", content: { "text/html": { schema: { type: "string" } } } },
  });
  expect(responses?.["304"]).not.toHaveProperty("content");
  expect(paths?.["/api/other/{id}/"]?.get).toMatchObject({ operationId: "things_file_2" });
});

it("describes only the answers that are declared, where the API's errors are none of them", () => {
  const declared: Endpoint = {
    ...retrieve,
    onlyDeclared: true,
    also: { 503: { description: "Not now.", body: z.object({ reason: z.string() }) } },
  };
  const responses = pathOf({ declared })?.get?.responses;
  expect(Object.keys(responses ?? {})).toEqual(["200", "503"]);
  expect(responses?.["503"]).toMatchObject({
    description: "Not now.",
    content: { "application/json": { schema: { properties: { reason: { type: "string" } } } } },
  });
});

it.each<[Credential | undefined, object[]]>([
  [undefined, [{ personal_api_key: [] }]],
  ["personal_api_key", [{ personal_api_key: [] }]],
  ["personal_or_secret_key", [{ personal_api_key: [] }, { project_secret_key: [] }]],
  ["project_token", []],
  ["bearer_project_token", [{ project_token: [] }]],
  ["none", []],
])("says which credential %s is", (credential, security) => {
  const declared: Endpoint = credential === undefined ? retrieve : { ...retrieve, credential };
  expect(pathOf({ declared })?.get?.security).toEqual(security);
});

it("says what it describes, and how to sign in", () => {
  const document = openApiDocument({ things: { retrieve } }, "1.2.3");
  expect(document).toMatchObject({
    openapi: "3.1.0",
    info: { title: "Switchyard", version: "1.2.3" },
    servers: [{ url: "/" }],
  });
  expect(document.components?.securitySchemes).toMatchObject({
    personal_api_key: { type: "http", scheme: "bearer" },
    project_secret_key: { type: "http", scheme: "bearer" },
    project_token: { type: "http", scheme: "bearer" },
  });
  expect(document.components?.schemas?.Error).toMatchObject({
    required: ["type", "code", "detail", "attr"],
    properties: {
      type: {
        enum: [
          "authentication_error",
          "validation_error",
          "invalid_request",
          "throttled_error",
          "server_error",
        ],
      },
    },
  });
});
