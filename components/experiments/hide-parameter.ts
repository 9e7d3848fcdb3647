/** Member of an experiment's parameters: its metrics stay hidden until the planned sample is reached. */
export const HIDE_PARAMETER = "hide_results_until_planned_sample";
