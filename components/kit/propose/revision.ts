/** A part of a pending change request that is opened in an editor again. */
export type Revision = {
  id: string;
  title: string;
  /** When the request was last changed, as it was read. */
  updated_at: string;
  /** Its place among the changes of the request, and how many there are. */
  part: number;
  parts: number;
  /** The fields that were proposed. */
  body: Record<string, unknown>;
};
