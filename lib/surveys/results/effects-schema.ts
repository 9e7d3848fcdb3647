import { z } from "zod";

const count = z.number().int();
const place = count.nullable();

const choiceEffect = z
  .object({
    choice_id: z.string().nullable().meta({ description: "Null for a new choice." }),
    choice_index: place.meta({ description: "In `choices` of the sent question; null if it is not there." }),
    change: z.enum(["kept", "reworded", "removed", "restored", "added"]).meta({
      description:
        "kept and reworded: its answers stay with it. removed: they are listed under a former choice. restored: " +
        "a former choice gets its answers back. added: it starts from zero, apart from respondents' own " +
        "answers with exactly this text.",
    }),
    before: z.string().nullable().meta({ description: "Its stored text; null for a new choice." }),
    after: z
      .string()
      .nullable()
      .meta({ description: "Its text in the sent questions; null if it is removed." }),
    answers: count.meta({ description: "Stored answers that the change affects." }),
  })
  .meta({ id: "SurveyChoiceEffect" });

const questionEffect = z
  .object({
    question_id: z.string(),
    question_index: place.meta({ description: "In the sent questions; null if it is deleted." }),
    question: z.string().meta({ description: "Its stored text." }),
    answers: count.meta({ description: "Stored responses that answer it." }),
    change: z.enum(["kept", "type", "scale", "deleted"]).meta({
      description:
        "type: answers are interpreted as another question type. scale: ratings are interpreted on another scale. " +
        "deleted: answers are no longer in any figure; they stay in the events of the responses.",
    }),
    unreadable: count.meta({
      description:
        "Answers that would be in none of the question's figures: off the scale, or of another type.",
    }),
    choices: z.array(choiceEffect),
  })
  .meta({ id: "SurveyQuestionEffect" });

/** The effect of an edit on stored answers. */
export const editEffects = z
  .object({
    responses: count.meta({ description: "Stored responses, excluding archived ones." }),
    questions: z.array(questionEffect).meta({ description: "Every stored question." }),
  })
  .meta({ id: "SurveyEditEffects" });

export type EditEffects = z.output<typeof editEffects>;
export type QuestionEffect = EditEffects["questions"][number];
export type ChoiceEffect = QuestionEffect["choices"][number];
