import type { KeyboardEvent } from "react";

/** Enter on a choice does not send the form around it. */
export function keepForm(event: KeyboardEvent): void {
  if (event.key === "Enter") event.preventDefault();
}
