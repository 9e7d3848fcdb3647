"use client";

import { textOf, useAppearance, useBuilder } from "#components/surveys/editing/builder-context.tsx";
import { Checkbox } from "#components/ui/form/checkbox.tsx";
import { Field } from "#components/ui/form/field.tsx";
import { Input } from "#components/ui/form/input.tsx";

type Switch = { name: string; label: string; description: string };

const EVERYWHERE: Switch[] = [
  {
    name: "allowGoBack",
    label: "Let people go back",
    description: "Adds a button that returns to the previous question.",
  },
  {
    name: "shuffleQuestions",
    label: "Shuffle the questions",
    description: "Each person gets a random order. Not available with branching.",
  },
  {
    name: "disableAutofocus",
    label: "Do not focus the first answer",
    description: "Otherwise the first answer box takes the focus, and phones open the keyboard.",
  },
];
const ON_PAGES: Switch[] = [
  {
    name: "hideCancelButton",
    label: "Hide the close button",
    description: "People cannot dismiss the survey. Use it only where you really need an answer.",
  },
  {
    name: "whiteLabel",
    label: "Hide the branding",
    description: "Otherwise the web SDK names its maker below the questions.",
  },
];
const OWN_PAGE: Switch[] = [
  {
    name: "enableIframeEmbedding",
    label: "Allow other sites to embed it",
    description: "In a frame. Otherwise browsers refuse, which protects against clickjacking.",
  },
];

/** How people move through the survey. */
export function BehaviourFields() {
  const { draft } = useBuilder();
  const { appearance, put } = useAppearance();
  const isPage = draft.type === "external_survey";
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
            <Field label="Back button" optional className="ml-6 sm:max-w-64">
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
