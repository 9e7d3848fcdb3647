const JOBS: Readonly<Record<string, string>> = {
  "change_requests.due": "Scheduled change requests",
  "change_requests.sweep": "Check of all scheduled change requests",
  "experiments.days": "Closing days of experiments",
  "audit.verify": "Verifying the audit log",
  "events.history": "Copying events to ClickHouse",
  "events.retention": "Deleting events by age",
  "experiments.recalculate": "Recalculating experiments",
  "instance.backup": "Backups",
  "feature_flags.remove_expired_pins": "Removal of pins that have expired",
  "feature_flags.rollback_conditions": "Rollback conditions of flags",
  "notifications.deliver": "Sending notifications",
  "notifications.inbox": "Notifications about the inbox",
  "notifications.prune": "Deleting old notifications",
  "persons.erase": "Erasing people",
  "ramps.tick": "Running ramps of flags",
  "scheduled_changes.due": "Scheduled changes of flags",
  "scheduled_changes.sweep": "Check of all scheduled changes",
  "surveys.due": "Dates and limits of surveys",
  "surveys.people": "Who was asked in which survey",
  "surveys.recode": "Changed questions of surveys",
  "surveys.sweep": "Check of all surveys' dates",
};

/** What a kind of job does; its name if there is no label. */
export const jobText = (name: string): string => JOBS[name] ?? name;
