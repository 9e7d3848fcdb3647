import { z } from "zod";
import { endpoint } from "#lib/platform/http/contract.ts";
import { envelope } from "#lib/platform/http/paging.ts";
import { integerId, projectParam } from "#lib/platform/http/params.ts";
import { rampCreate, rampNext, rampQuery, rampRecord, rampRehearsal, rampRehearse } from "./schema.ts";

const tag = "Ramps";
const root = "/api/projects/{project_id}/ramps/" as const;
const project = z.object(projectParam);
const one = z.object({ ...projectParam, id: integerId("ramp") });

const nothing = z.unknown().meta({ description: "Ignored." });

export const rampContract = {
  list: endpoint({
    method: "GET",
    path: root,
    tag,
    scope: "feature_flag:read",
    summary: "List ramps of feature flags",
    description: "Newest first, those that have ended included.",
    params: project,
    query: rampQuery,
    status: 200,
    response: envelope(rampRecord),
  }),
  create: endpoint({
    method: "POST",
    path: root,
    tag,
    scope: "feature_flag:write",
    summary: "Start a ramp of a feature flag",
    description: "Applies its first step at once. A flag has one ramp at most that has not ended.",
    params: project,
    body: rampCreate,
    status: 201,
    response: rampRecord,
  }),
  rehearse: endpoint({
    method: "POST",
    path: `${root}rehearse/`,
    tag,
    scope: "feature_flag:read",
    summary: "Rehearse a ramp",
    description:
      "Replays the plan many times on the project's last weeks of events, with people dealt to the arms by chance: how often it would be stopped for nothing, and how soon a regression would be caught. Changes nothing.",
    params: project,
    body: rampRehearse,
    status: 200,
    response: rampRehearsal,
  }),
  retrieve: endpoint({
    method: "GET",
    path: `${root}{id}/`,
    tag,
    scope: "feature_flag:read",
    summary: "Retrieve a ramp",
    params: one,
    status: 200,
    response: rampRecord,
  }),
  pause: endpoint({
    method: "POST",
    path: `${root}{id}/pause/`,
    tag,
    scope: "feature_flag:write",
    summary: "Pause a running ramp",
    description: "The flag stays as it is.",
    params: one,
    body: nothing,
    status: 200,
    response: rampRecord,
  }),
  resume: endpoint({
    method: "POST",
    path: `${root}{id}/resume/`,
    tag,
    scope: "feature_flag:write",
    summary: "Resume a paused ramp",
    description:
      "Applies its step again, whatever the flag was changed to, and begins a comparison of its own.",
    params: one,
    body: nothing,
    status: 200,
    response: rampRecord,
  }),
  next: endpoint({
    method: "POST",
    path: `${root}{id}/next/`,
    tag,
    scope: "feature_flag:write",
    summary: "Approve the end of a ramp's step",
    description: "The ramp goes on as soon as the step is held for nothing else.",
    params: one,
    body: rampNext,
    status: 200,
    response: rampRecord,
  }),
  roll_back: endpoint({
    method: "POST",
    path: `${root}{id}/roll_back/`,
    tag,
    scope: "feature_flag:write",
    summary: "Roll back a ramp",
    description: "Gives the flag the percentages that it had before, and ends the ramp.",
    params: one,
    body: nothing,
    status: 200,
    response: rampRecord,
  }),
  cancel: endpoint({
    method: "POST",
    path: `${root}{id}/cancel/`,
    tag,
    scope: "feature_flag:write",
    summary: "Cancel a ramp",
    description: "The flag stays as it is, and the ramp ends.",
    params: one,
    body: nothing,
    status: 200,
    response: rampRecord,
  }),
};
