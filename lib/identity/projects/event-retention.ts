/** Events that are never deleted by age: answers to surveys are read from them, or figures counted from them. */
export const KEPT_EVENTS: readonly string[] = [
  "survey shown",
  "survey dismissed",
  "survey sent",
  "survey abandoned",
  "$feature_view",
  "Feature Viewed",
  "$feature_interaction",
];

/** Long enough for what waits in the queues of SDKs and in the spool. */
export const RETENTION_DAYS_MIN = 7;
export const RETENTION_DAYS_MAX = 3_650;
