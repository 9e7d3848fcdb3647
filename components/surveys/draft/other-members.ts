import type { Json } from "#lib/engines/json.ts";

/** Members that the builder has a control for, or a note about. */
const SHOWN = {
  conditions:
    "url urlMatchType selector deviceTypes deviceTypesMatchType events cancelEvents actions " +
    "seenSurveyWaitPeriodInDays linkedFlagVariant",
  appearance:
    "backgroundColor textColor textSubtleColor borderColor submitButtonColor submitButtonTextColor ratingButtonColor " +
    "ratingButtonActiveColor inputBackground inputTextColor widgetColor fontFamily borderRadius maxWidth boxPadding " +
    "boxShadow zIndex disabledButtonOpacity position widgetType widgetLabel widgetSelector tabPosition " +
    "displayIntroScreen introScreenHeader introScreenDescription introScreenDescriptionContentType " +
    "introScreenButtonText allowGoBack backButtonText shuffleQuestions disableAutofocus hideCancelButton whiteLabel " +
    "enableIframeEmbedding submitButtonText placeholder displayThankYouMessage thankYouMessageHeader " +
    "thankYouMessageDescription thankYouMessageDescriptionContentType thankYouMessageCloseButtonText autoDisappear " +
    "surveyPopupDelaySeconds translations",
};

/** Set members without a control in the builder. */
export const otherMembers = (of: keyof typeof SHOWN, json: Json | null): string[] =>
  Object.entries(json ?? {})
    .filter(([name, value]) => value !== null && !SHOWN[of].split(" ").includes(name))
    .map(([name]) => name);
