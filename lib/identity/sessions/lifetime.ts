/** How long a session of the dashboard lasts, from its start. */
export const SESSION_SECONDS = 14 * 24 * 60 * 60;
