import type { z } from "zod";

/** Every scope a personal API key can carry; `object:write` includes `object:read`. */
export const SCOPE_OBJECTS = [
  "feature_flag",
  "relay",
  "experiment",
  "survey",
  "cohort",
  "person",
  "property_definition",
  "dashboard",
  "activity_log",
  "project",
  "organization",
  "organization_member",
  "user",
  "personal_api_key",
  "query",
] as const;

export type ScopeObject = (typeof SCOPE_OBJECTS)[number];
export type Scope = `${ScopeObject}:${"read" | "write"}`;

/**
 * Who may call: a personal API key; that or a project's secret key; a project token, which is in the body or the
 * address, or (bearer) in the header for keys; or anybody.
 */
export type Credential =
  | "personal_api_key"
  | "personal_or_secret_key"
  | "project_token"
  | "bearer_project_token"
  | "none";

/** One endpoint as plain data: routing, validation, the typed client and the OpenAPI document follow from it. */
export type Endpoint<
  Path extends string = string,
  Params extends z.ZodObject = z.ZodObject,
  Query extends z.ZodObject = z.ZodObject,
  Body extends z.ZodType = z.ZodType,
  Answer extends z.ZodType = z.ZodType,
> = {
  method: "GET" | "POST" | "PATCH" | "PUT" | "DELETE";
  /** As in the documentation: `{name}` for a parameter, a trailing slash. Both slash forms are served. */
  path: Path;
  tag: string;
  summary: string;
  description?: string;
  /** null: any valid credential will do. */
  scope: Scope | null;
  /** Other scopes that let a call in as well: it then needs those of what it is about. */
  or_scopes?: readonly Scope[];
  credential?: Credential;
  /** Whether only administrators may: of the project's organization, or of the one that the call is about. */
  administrators?: true;
  /** Which keys cannot call it, whatever their scopes: those restricted to projects, or all restricted ones. */
  refuses?: "project_keys" | "restricted_keys";
  /** It writes, although the scope to read is enough: what callers report of themselves. */
  writes?: true;
  /** A large read: a read replica may answer it, with what the database had a moment ago. */
  from_replica?: true;
  /** Calls that count against another rate limit than the management calls do. */
  limit?: "management" | "definitions";
  params?: Params;
  query?: Query;
  body?: Body;
  status: 200 | 201 | 202 | 204 | 405;
  /** Absent: the answer has no body. */
  response?: Answer;
  /** The media types of the answer, where it is not only JSON. */
  media?: readonly string[];
  /** Answers of its own, beside those that every endpoint may give. */
  also?: Readonly<Record<number, OtherAnswer>>;
  /** Whether it gives no other answers than those declared here: none of the API's errors. */
  onlyDeclared?: boolean;
  /** Other paths that do the same. */
  aliases?: readonly string[];
};

/** An answer that is neither the success nor an error in the API's form. */
export type OtherAnswer = {
  description: string;
  /** Absent: without a body, unless there are media types. */
  body?: z.ZodType;
  media?: readonly string[];
};

/** Whether an endpoint only reads: by its method, or by the scope that is enough for it. */
export const onlyReads = ({ method, scope, writes }: Endpoint): boolean =>
  method === "GET" || (writes === undefined && (scope === null || scope.endsWith(":read")));

/** Declares an endpoint; the types of parameters, query, body and response are preserved. */
export const endpoint = <
  Path extends string,
  Params extends z.ZodObject = z.ZodObject<Record<never, never>>,
  Query extends z.ZodObject = z.ZodObject<Record<never, never>>,
  Body extends z.ZodType = z.ZodUndefined,
  Answer extends z.ZodType = z.ZodUndefined,
>(
  declared: Endpoint<Path, Params, Query, Body, Answer>,
) => declared;

/** A resource's endpoints by the name of the verb that serves each. */
export type Contract = Record<string, Endpoint>;

/** Whether the path names a project, so that its verb gets one. */
export type InProject<E> =
  E extends Endpoint<infer P> ? (P extends `${string}{project_id}${string}` ? true : false) : false;

/** What a verb is handed: everything parsed. */
export type Input<E> =
  E extends Endpoint<string, infer P, infer Q, infer B>
    ? { params: z.output<P>; query: z.output<Q>; body: z.output<B> }
    : never;

/** What a caller sends. */
export type Call<E> =
  E extends Endpoint<string, infer P, infer Q, infer B>
    ? { params?: z.input<P>; query?: z.input<Q>; body?: z.input<B> }
    : never;

/** What a caller gets back. */
export type Answer<E> =
  E extends Endpoint<string, z.ZodObject, z.ZodObject, z.ZodType, infer R> ? z.output<R> : never;

/** What a verb returns as data. */
export type Reply<E> =
  E extends Endpoint<string, z.ZodObject, z.ZodObject, z.ZodType, infer R> ? z.input<R> : never;
