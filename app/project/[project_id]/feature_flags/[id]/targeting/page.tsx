import { FlagForm } from "#components/feature_flags/flag-form.tsx";
import { flagActions } from "../../flag-actions.ts";
import { FlagFrame, type FlagPageProps, flagTitle } from "../flag-frame.tsx";

export const generateMetadata = (props: FlagPageProps) => flagTitle(props, "Targeting");

export default function TargetingPage({ params }: FlagPageProps) {
  return (
    <FlagFrame params={params} current="targeting">
      {(content) => <FlagForm key={content.flag.id} {...content} actions={flagActions} />}
    </FlagFrame>
  );
}
