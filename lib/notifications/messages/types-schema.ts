/** Every type of notification, and when it is sent. */
export const NOTIFICATION_TYPES = {
  "feature_flag.changed": "A feature flag was created, changed or deleted.",
  "feature_flag.rolled_back": "A feature flag was turned off because one of its rollback conditions was met.",
  "feature_flag.stale": "Other feature flags are stale than before.",
  "ramp.advanced": "A ramp was started, resumed, completed or cancelled, or went on to its next step.",
  "ramp.waiting": "A ramp waits for somebody to approve the end of its step.",
  "ramp.paused": "A ramp was paused.",
  "ramp.rolled_back": "A ramp was rolled back.",
  "scheduled_change.failed": "A scheduled change could not be made.",
  "experiment.changed": "An experiment was created, changed, launched, ended or deleted.",
  "experiment.finished": "An experiment has reached its planned sample or its planned running time.",
  "experiment.mismatched": "People were not split between the variants of an experiment as configured.",
  "experiment.without_exposures": "An experiment has been running for a day, and nobody has been exposed.",
  "survey.changed": "A survey was created, changed, launched, ended or deleted.",
  "survey.near_limit": "A survey has at least 90% of the responses that it is limited to.",
  "survey.broken": "A running survey has a path that does not end as it should.",
  "survey.ended": "A survey has ended.",
  "cohort.changed": "A cohort was created, changed or deleted.",
  "change_request.created": "A change was proposed, or is held by an approval policy.",
  "change_request.decided":
    "A change request was approved, rejected, sent back, applied or cancelled, or has lapsed.",
  "change_request.bypassed": "An administrator applied a change without the approvals that it needed.",
  "approval_policy.changed": "An approval policy was created, changed or deleted.",
} as const;

export type NotificationType = keyof typeof NOTIFICATION_TYPES;

export const TYPE_NAMES = Object.keys(NOTIFICATION_TYPES) as [NotificationType, ...NotificationType[]];

/** What `Send test` sends. */
export const TEST_TYPE = "test";

export const RESOURCE_TYPES = ["feature_flag", "experiment", "survey"] as const;
export type ResourceType = (typeof RESOURCE_TYPES)[number];
