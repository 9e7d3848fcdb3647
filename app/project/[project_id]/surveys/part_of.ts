import { one } from "#components/list/search_params.ts";
import type { Part } from "#components/surveys/problems.ts";

const PARTS: readonly Part[] = ["questions", "flow", "audience", "schedule", "appearance", "json"];

/** The part of the builder that an address names; the questions for any other. */
export const partOf = (tab: string | string[] | undefined): Part =>
  PARTS.find((part) => part === one(tab)) ?? "questions";
