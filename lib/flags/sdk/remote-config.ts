import type { Snapshot } from "#lib/flags/feature_flags/evaluation/definitions.ts";

/** Whether a project has surveys that browsers should ask for. */
export type HasSurveys = (projectId: number) => boolean | Promise<boolean>;

/** The surveys themselves, for SDKs of apps, which look for them nowhere else; false where there are none. */
export type Surveys = boolean | readonly object[];

/** What a browser SDK loads first; features that Switchyard lacks are turned off. */
export const buildRemoteConfig = (token: string, snapshot: Snapshot, surveys: Surveys) => ({
  token,
  supportedCompression: ["gzip", "gzip-js"],
  hasFeatureFlags: snapshot.flags.live.length > 0,
  surveys,
  analytics: { endpoint: "/i/v0/e/" },
  captureDeadClicks: false,
  capturePerformance: false,
  autocapture_opt_out: true,
  autocaptureExceptions: false,
  heatmaps: false,
  elementsChainAsString: true,
  sessionRecording: false,
  productTours: false,
  conversations: false,
  errorTracking: { autocaptureExceptions: false, suppressionRules: [] },
  siteApps: [],
});

/** The same as a script that leaves it where the SDK looks. */
export function buildRemoteConfigScript(token: string, config: ReturnType<typeof buildRemoteConfig>): string {
  const name = JSON.stringify(token).replaceAll("<", "\\u003c");
  const value = JSON.stringify({ config, siteApps: [] }).replaceAll("<", "\\u003c");
  return `(function(w){w._POSTHOG_REMOTE_CONFIG=w._POSTHOG_REMOTE_CONFIG||{};w._POSTHOG_REMOTE_CONFIG[${name}]=${value};})(window);\n`;
}
