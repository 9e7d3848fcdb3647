import { randomUUID } from "node:crypto";

/** The header that carries the id of a request, from a client or a proxy, and with every answer. */
export const REQUEST_ID = "x-request-id";

/** Short enough for a log, and nothing that looks like a key or a token. */
const VALID = /^(?!ph[a-z]_)[\w.-]{8,64}$/i;

/** The id of a request: as it was sent, if it can be used, otherwise a new one. */
export const requestIdOf = (sent: string | string[] | null | undefined): string =>
  typeof sent === "string" && VALID.test(sent) ? sent : randomUUID();
