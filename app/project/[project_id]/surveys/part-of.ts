import { one } from "#components/kit/list/search-params.ts";
import type { Part } from "#components/surveys/draft/problems.ts";

const PARTS: readonly Part[] = ["questions", "flow", "audience", "schedule", "appearance", "json"];

/** The part of the builder in the URL; the questions by default. */
export const partOf = (tab: string | string[] | undefined): Part =>
  PARTS.find((part) => part === one(tab)) ?? "questions";
