/** What is done to schedules, as the log names it, in words that the flag follows. */
export const SCHEDULE_VERBS = {
  schedule_created: "scheduled a change of",
  schedule_changed: "changed a schedule of",
  schedule_paused: "paused a schedule of",
  schedule_resumed: "resumed a schedule of",
  schedule_cancelled: "cancelled a schedule of",
  schedule_restored: "restored a schedule of",
} as const;
