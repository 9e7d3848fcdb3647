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
        "a former choice takes up its answers again. added: it starts from zero, apart from respondents' own " +
        "answers with exactly this text.",
    }),
    before: z.string().nullable().meta({ description: "Its stored text; null for a new choice." }),
    after: z
      .string()
      .nullable()
      .meta({ description: "Its text in the sent questions; null if it is removed." }),
    answers: count.meta({ description: "Stored answers that the change is about." }),
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
        "type: answers are read as answers to another type of question. scale: ratings are read on another scale. " +
        "deleted: answers are in no figure any more; they stay in the responses' events.",
    }),
    unreadable: count.meta({
      description:
        "Answers that would be in none of the question's figures: off the scale, or of another type.",
    }),
    choices: z.array(choiceEffect),
  })
  .meta({ id: "SurveyQuestionEffect" });

/** What an edit does to the answers that are stored. */
export const editEffects = z
  .object({
    responses: count.meta({ description: "Stored responses, archived ones left out." }),
    questions: z.array(questionEffect).meta({ description: "Every stored question." }),
  })
  .meta({ id: "SurveyEditEffects" });

export type EditEffects = z.output<typeof editEffects>;
export type QuestionEffect = EditEffects["questions"][number];
export type ChoiceEffect = QuestionEffect["choices"][number];
