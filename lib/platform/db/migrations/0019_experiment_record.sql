CREATE TABLE "experiment_phases" (
	"experiment_id" integer NOT NULL,
	"started_at" timestamp (6) with time zone NOT NULL,
	"flag_key" text NOT NULL,
	"variants" json NOT NULL,
	"aggregation_group_type_index" smallint,
	CONSTRAINT "experiment_phases_experiment_id_started_at_pk" PRIMARY KEY("experiment_id","started_at")
);
--> statement-breakpoint
ALTER TABLE "experiments" ADD COLUMN "concluded_at" timestamp (6) with time zone;--> statement-breakpoint
ALTER TABLE "experiments" ADD COLUMN "concluded_by_id" integer;--> statement-breakpoint
ALTER TABLE "experiments" ADD COLUMN "shipped_variant" text;--> statement-breakpoint
ALTER TABLE "experiments" ADD COLUMN "launch_plan" json;--> statement-breakpoint
ALTER TABLE "experiments" ADD COLUMN "version" integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE "experiments" ADD COLUMN "last_modified_by_id" integer;--> statement-breakpoint
ALTER TABLE "experiment_phases" ADD CONSTRAINT "experiment_phases_experiment_id_experiments_id_fk" FOREIGN KEY ("experiment_id") REFERENCES "public"."experiments"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "experiments" ADD CONSTRAINT "experiments_concluded_by_id_users_id_fk" FOREIGN KEY ("concluded_by_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "experiments" ADD CONSTRAINT "experiments_last_modified_by_id_users_id_fk" FOREIGN KEY ("last_modified_by_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
-- What launched experiments ran with: the state before the first change of the flag that its log has after the start
-- (or the present one), then the state after each change.
CREATE TEMPORARY TABLE "flag_changes" ON COMMIT DROP AS
SELECT e.id AS experiment_id, a.created_at, a.id AS entry, c.value -> 'before' AS before, c.value -> 'after' AS after
FROM experiments e
JOIN activity_log a ON a.project_id = e.project_id AND a.scope = 'FeatureFlag'
  AND a.item_id = e.feature_flag_id::text AND a.created_at > e.start_date
CROSS JOIN LATERAL json_array_elements(a.detail -> 'changes') c
WHERE c.value ->> 'field' = 'filters' AND json_typeof(c.value -> 'before') = 'object'
  AND json_typeof(c.value -> 'after') = 'object';--> statement-breakpoint
INSERT INTO "experiment_phases" (experiment_id, started_at, flag_key, variants, aggregation_group_type_index)
SELECT s.experiment_id, s.started_at, f.key,
  CASE WHEN json_typeof(s.filters -> 'multivariate' -> 'variants') = 'array'
    THEN s.filters -> 'multivariate' -> 'variants' ELSE '[]'::json END,
  CASE WHEN json_typeof(s.filters -> 'aggregation_group_type_index') = 'number'
    THEN (s.filters ->> 'aggregation_group_type_index')::smallint END
FROM (
  SELECT e.id AS experiment_id, least(e.start_date, now()) AS started_at, coalesce(
    (SELECT c.before FROM flag_changes c WHERE c.experiment_id = e.id ORDER BY c.created_at, c.entry LIMIT 1),
    f.filters::json) AS filters
  FROM experiments e JOIN feature_flags f ON f.id = e.feature_flag_id WHERE e.start_date IS NOT NULL
  UNION ALL
  SELECT experiment_id, created_at, after FROM flag_changes
) s JOIN experiments e ON e.id = s.experiment_id JOIN feature_flags f ON f.id = e.feature_flag_id
ON CONFLICT DO NOTHING;--> statement-breakpoint
-- Shipping a variant used to overwrite the split in the parameters of the experiment that had ended: it comes back,
-- and the variant is noted.
UPDATE "experiments" e SET
  shipped_variant = CASE WHEN e.conclusion IS NOT NULL THEN shipped.key END,
  parameters = CASE WHEN (e.parameters::jsonb -> 'feature_flag_variants') = now_split.variants
    THEN (e.parameters::jsonb || jsonb_build_object('feature_flag_variants', ran.variants::jsonb))::json
    ELSE e.parameters END
FROM feature_flags f
CROSS JOIN LATERAL (SELECT f.filters::jsonb -> 'multivariate' -> 'variants' AS variants) now_split
CROSS JOIN LATERAL (
  SELECT min(v.value ->> 'key') AS key FROM jsonb_array_elements(
    CASE WHEN jsonb_typeof(now_split.variants) = 'array' THEN now_split.variants ELSE '[]'::jsonb END) v
  WHERE (v.value -> 'rollout_percentage') = '100'::jsonb HAVING count(*) = 1
) shipped,
LATERAL (
  SELECT p.experiment_id, p.variants FROM experiment_phases p JOIN experiments x ON x.id = p.experiment_id
  WHERE x.feature_flag_id = f.id AND p.started_at = (
    SELECT max(q.started_at) FROM experiment_phases q
    WHERE q.experiment_id = x.id AND (q.started_at < x.end_date OR q.started_at <= x.start_date))
) ran
WHERE e.feature_flag_id = f.id AND e.end_date IS NOT NULL AND e.start_date IS NOT NULL
  AND ran.experiment_id = e.id AND ran.variants::jsonb <> now_split.variants;--> statement-breakpoint
UPDATE "experiments" e SET concluded_at = last.created_at, concluded_by_id = last.user_id
FROM (
  SELECT DISTINCT ON (a.project_id, a.item_id) a.project_id, a.item_id, a.created_at, a.user_id
  FROM activity_log a CROSS JOIN LATERAL json_array_elements(a.detail -> 'changes') c
  WHERE a.scope = 'Experiment' AND c.value ->> 'field' = 'conclusion'
  ORDER BY a.project_id, a.item_id, a.created_at DESC, a.id
) last
WHERE e.conclusion IS NOT NULL AND last.project_id = e.project_id AND last.item_id = e.id::text;--> statement-breakpoint
UPDATE "experiments" e SET last_modified_by_id = coalesce((
  SELECT a.user_id FROM activity_log a
  WHERE a.project_id = e.project_id AND a.scope = 'Experiment' AND a.item_id = e.id::text
    AND a.activity IN ('created', 'updated', 'deleted', 'restored')
  ORDER BY a.created_at DESC LIMIT 1), e.created_by_id);--> statement-breakpoint
-- The plan at launch: the log's state before the first change of each field after the launch, or the present one.
CREATE TEMPORARY TABLE "launches" ON COMMIT DROP AS
SELECT e.id, e.project_id, coalesce(l.created_at, e.start_date) AS launched_at, coalesce(l.user_id, e.created_by_id) AS user_id
FROM experiments e LEFT JOIN LATERAL (
  SELECT a.created_at, a.user_id FROM activity_log a CROSS JOIN LATERAL json_array_elements(a.detail -> 'changes') c
  WHERE a.project_id = e.project_id AND a.scope = 'Experiment' AND a.item_id = e.id::text
    AND c.value ->> 'field' = 'start_date' AND json_typeof(c.value -> 'before') = 'null'
  ORDER BY a.created_at DESC LIMIT 1
) l ON true WHERE e.start_date IS NOT NULL;--> statement-breakpoint
CREATE TEMPORARY TABLE "plan_changes" ON COMMIT DROP AS
SELECT l.id, a.created_at, a.user_id, a.id AS entry, c.value ->> 'field' AS field, c.value -> 'before' AS before
FROM launches l JOIN activity_log a ON a.project_id = l.project_id AND a.scope = 'Experiment'
  AND a.item_id = l.id::text AND a.created_at > l.launched_at
CROSS JOIN LATERAL json_array_elements(a.detail -> 'changes') c
WHERE c.value ->> 'field' IN ('description', 'metrics', 'stats_config');--> statement-breakpoint
UPDATE "experiments" e SET launch_plan = json_build_object(
  'start_date', to_char(e.start_date AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS')
    || CASE WHEN date_part('milliseconds', e.start_date)::int % 1000 = 0 THEN ''
      ELSE '.' || to_char(e.start_date AT TIME ZONE 'UTC', 'MS') END || 'Z',
  'launched_at', to_char(l.launched_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
  'launched_by_id', l.user_id,
  'description', coalesce(nullif((SELECT c.before #>> '{}' FROM plan_changes c
    WHERE c.id = e.id AND c.field = 'description' ORDER BY c.created_at, c.entry LIMIT 1), NULL),
    CASE WHEN EXISTS (SELECT 1 FROM plan_changes c WHERE c.id = e.id AND c.field = 'description') THEN ''
      ELSE coalesce(e.description, '') END),
  'metrics', (SELECT coalesce(json_agg(m.value), '[]') FROM (
    SELECT (o.value::jsonb - 'fingerprint')::json AS value FROM json_array_elements(coalesce((
      SELECT CASE WHEN json_typeof(c.before) = 'array' THEN c.before ELSE '[]'::json END FROM plan_changes c
      WHERE c.id = e.id AND c.field = 'metrics' ORDER BY c.created_at, c.entry LIMIT 1), e.metrics)) o
    UNION ALL
    SELECT (s.query::jsonb || jsonb_build_object('name', s.name, 'saved_metric_id', s.id))::json
    FROM experiment_metric_links k JOIN experiment_saved_metrics s ON s.id = k.saved_metric_id AND NOT s.deleted
    WHERE k.experiment_id = e.id AND coalesce(k.metadata ->> 'type', '') <> 'secondary'
  ) m),
  'stats_config', coalesce((SELECT c.before FROM plan_changes c
    WHERE c.id = e.id AND c.field = 'stats_config' ORDER BY c.created_at, c.entry LIMIT 1), e.stats_config),
  'changes', (SELECT coalesce(json_object_agg(d.field, json_build_object(
      'at', to_char(d.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), 'by_id', d.user_id)), '{}')
    FROM (SELECT DISTINCT ON (c.field) c.field, c.created_at, c.user_id FROM plan_changes c
      WHERE c.id = e.id ORDER BY c.field, c.created_at DESC, c.entry) d)
)
FROM launches l WHERE l.id = e.id;
