"use client";

import { Checkbox } from "#components/ui/checkbox.tsx";
import { Field } from "#components/ui/field.tsx";
import { Input } from "#components/ui/input.tsx";
import { useBuilder } from "./builder_context.tsx";
import { useAppearance } from "./use_appearance.ts";
import { textOf } from "./use_put.ts";

type Switch = { name: string; label: string; description: string };

const EVERYWHERE: Switch[] = [
  {
    name: "allowGoBack",
    label: "People can go back",
    description: "A button beside the other one leads to the question before.",
  },
  {
    name: "shuffleQuestions",
    label: "Shuffle the questions",
    description: "Each person gets another order. It cannot go together with branching.",
  },
  {
    name: "disableAutofocus",
    label: "Leave the focus where it is",
    description: "Otherwise the first answer box takes it, and a telephone opens its keyboard.",
  },
];
const ON_PAGES: Switch[] = [
  {
    name: "hideCancelButton",
    label: "No cross to close it",
    description: "Nobody can dismiss it; use it only where an answer is really needed.",
  },
  {
    name: "whiteLabel",
    label: "No line about the software",
    description: "The web SDK names its maker under the questions otherwise.",
  },
];
const OWN_PAGE: Switch[] = [
  {
    name: "enableIframeEmbedding",
    label: "Other sites may show it inside theirs",
    description: "In a frame. Otherwise browsers refuse to, so that nobody can lay something over it.",
  },
];

/** How people move through the survey. */
export function WayFields() {
  const { draft } = useBuilder();
  const { appearance, put } = useAppearance();
  const isPage = draft.fields.type === "external_survey";
  return (
    <div className="flex flex-col gap-3">
      {[...EVERYWHERE, ...(isPage ? OWN_PAGE : ON_PAGES)].map(({ name, label, description }) => (
        <div key={name} className="flex flex-col gap-2.5">
          <Checkbox
            label={label}
            description={description}
            checked={appearance[name] === true}
            onCheckedChange={(on) => put({ [name]: on === true ? true : undefined })}
          />
          {name === "allowGoBack" && appearance.allowGoBack === true ? (
            <Field label="Button that goes back" optional className="ml-6 sm:max-w-64">
              <Input
                placeholder="Back"
                value={textOf(appearance.backButtonText)}
                onChange={(event) => put({ backButtonText: event.target.value || undefined })}
              />
            </Field>
          ) : null}
        </div>
      ))}
    </div>
  );
}
