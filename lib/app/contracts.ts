import { activityContract } from "#lib/activity/contract.ts";
import { demoContract } from "#lib/app/demo/contract.ts";
import { instanceStatusContract } from "#lib/app/instance_status/contract.ts";
import { relayContract } from "#lib/app/relay/contract.ts";
import { approvalPolicyContract } from "#lib/approvals/approval_policies/contract.ts";
import { changeRequestContract } from "#lib/approvals/change_requests/contract.ts";
import { auditContract } from "#lib/audit/contract.ts";
import { experimentContract } from "#lib/experiments/experiments/contract.ts";
import { holdoutContract } from "#lib/experiments/experiments/holdouts/contract.ts";
import { savedMetricContract } from "#lib/experiments/experiments/metrics/saved-metric-contract.ts";
import { experimentReportContract } from "#lib/experiments/report/contract.ts";
import { experimentResultContract } from "#lib/experiments/results/contract.ts";
import { personExperimentsContract } from "#lib/experiments/results/person-contract.ts";
import { dashboardContract } from "#lib/flags/dashboards/contract.ts";
import { flagEnvironmentContract } from "#lib/flags/environments/contract.ts";
import { flagContract } from "#lib/flags/feature_flags/contract.ts";
import { evaluateContract } from "#lib/flags/feature_flags/evaluation/evaluate-contract.ts";
import { proveContract } from "#lib/flags/feature_flags/evaluation/prove-contract.ts";
import { versionsContract } from "#lib/flags/feature_flags/history/versions-contract.ts";
import { pastContract } from "#lib/flags/feature_flags/past/past-contract.ts";
import { pinsContract } from "#lib/flags/feature_flags/pins/pins-contract.ts";
import { replayContract } from "#lib/flags/feature_flags/replay/replay-contract.ts";
import { transferContract } from "#lib/flags/feature_flags/transfer/transfer-contract.ts";
import { usageContract } from "#lib/flags/feature_flags/usage/usage-contract.ts";
import { testCasesContract } from "#lib/flags/feature_flags/who_changes/pinned-cases-contract.ts";
import { whoChangesContract } from "#lib/flags/feature_flags/who_changes/who-changes-contract.ts";
import { savedViewContract } from "#lib/flags/saved_views/contract.ts";
import { scheduledChangeContract } from "#lib/flags/scheduled_changes/contract.ts";
import { receiptContract, sdkInstanceContract } from "#lib/flags/sdk_instances/contract.ts";
import { environmentContract } from "#lib/identity/environments/contract.ts";
import { organizationContract } from "#lib/identity/organizations/contract.ts";
import { personalApiKeyContract } from "#lib/identity/personal_api_keys/contract.ts";
import { projectContract } from "#lib/identity/projects/contract.ts";
import { userContract } from "#lib/identity/users/contract.ts";
import { notificationDeliveryContract } from "#lib/notifications/deliveries/contract.ts";
import { notificationDestinationContract } from "#lib/notifications/destinations/contract.ts";
import { inboxContract } from "#lib/notifications/inbox/contract.ts";
import { notificationSubscriptionContract } from "#lib/notifications/subscriptions/contract.ts";
import { cohortContract } from "#lib/people/cohorts/contract.ts";
import { erasureContract, personDataContract } from "#lib/people/erasures/contract.ts";
import { eventContract } from "#lib/people/events/contract.ts";
import { groupContract } from "#lib/people/groups/contract.ts";
import { personContract } from "#lib/people/persons/contract.ts";
import { propertyDefinitionContract } from "#lib/people/property_definitions/contract.ts";
import { retentionContract } from "#lib/people/retention/contract.ts";
import type { Contract } from "#lib/platform/http/contract.ts";
import { rampContract } from "#lib/ramps/contract.ts";
import { surveyResultsContract } from "#lib/surveys/results/contract.ts";
import { personSurveysContract } from "#lib/surveys/results/person-contract.ts";
import { surveyContract } from "#lib/surveys/surveys/contract.ts";

/**
 * Every contract by its resource's name: the API serves them, and the document, the reference page, the browser's
 * reads and the tests that walk all endpoints follow from them.
 */
export const contracts = {
  feature_flags: {
    ...evaluateContract,
    ...proveContract,
    ...whoChangesContract,
    ...versionsContract,
    ...pinsContract,
    ...pastContract,
    ...testCasesContract,
    ...replayContract,
    ...usageContract,
    ...transferContract,
    ...receiptContract,
    ...flagContract,
  },
  flag_environments: flagEnvironmentContract,
  saved_views: savedViewContract,
  scheduled_changes: scheduledChangeContract,
  sdk_instances: sdkInstanceContract,
  ramps: rampContract,
  surveys: surveyContract,
  survey_results: surveyResultsContract,
  experiment_results: experimentResultContract,
  experiment_report: experimentReportContract,
  experiments: experimentContract,
  experiment_holdouts: holdoutContract,
  experiment_saved_metrics: savedMetricContract,
  cohorts: cohortContract,
  dashboards: dashboardContract,
  persons: {
    ...personContract,
    ...personDataContract,
    ...personExperimentsContract,
    ...personSurveysContract,
  },
  erasures: erasureContract,
  groups: groupContract,
  events: { ...eventContract, ...retentionContract },
  property_definitions: propertyDefinitionContract,
  approval_policies: approvalPolicyContract,
  change_requests: changeRequestContract,
  inbox: inboxContract,
  notification_destinations: notificationDestinationContract,
  notification_deliveries: notificationDeliveryContract,
  notification_subscriptions: notificationSubscriptionContract,
  activity_log: activityContract,
  audit_log: auditContract,
  projects: projectContract,
  demo: demoContract,
  environments: environmentContract,
  organizations: organizationContract,
  users: userContract,
  instance_status: instanceStatusContract,
  relay: relayContract,
  personal_api_keys: personalApiKeyContract,
} satisfies Record<string, Contract>;
