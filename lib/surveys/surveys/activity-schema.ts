import { z } from "zod";
import { activityChange, activityEntry, activityPage } from "#lib/activity/schema.ts";

/** An entry about a survey; without changes it has null, not an empty list. */
const surveyActivityEntry = activityEntry
  .extend({
    detail: activityEntry.shape.detail.extend({
      changes: z
        .array(activityChange)
        .nullable()
        .meta({ description: "What changed, field by field; null of a survey created or deleted." }),
    }),
  })
  .meta({ id: "SurveyActivityEntry" });

export const surveyActivityPage = activityPage.extend({
  results: z.array(surveyActivityEntry).meta({ description: "Entries, newest first." }),
});
