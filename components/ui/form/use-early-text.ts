import { type Ref, useCallback, useEffect, useRef } from "react";

/** Line breaks aside: fields drop or rewrite those of the value that they are given. */
const isTyped = ({ value, defaultValue }: HTMLInputElement | HTMLTextAreaElement): boolean =>
  value.replace(/[\r\n]/g, "") !== defaultValue.replace(/[\r\n]/g, "");

/**
 * A ref for a text field that hands on what somebody typed before the page's scripts ran. React does not report that
 * text, so the field would show what its form does not have, or lose it to the form's first value.
 *
 * @param given the caller's own ref, which is called after the text was read
 */
export function useEarlyText<Field extends HTMLInputElement | HTMLTextAreaElement>(
  given: Ref<Field> | undefined,
) {
  const early = useRef<{ field: Field; text: string } | null>(null);
  useEffect(() => {
    if (!early.current) return;
    const { field, text } = early.current;
    early.current = null;
    // React reports a text that differs from the last one set through the field itself, not through its prototype.
    field.value = field.defaultValue;
    Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), "value")?.set?.call(field, text);
    field.dispatchEvent(new Event("input", { bubbles: true }));
  }, []);
  return useCallback(
    (field: Field | null) => {
      if (field && isTyped(field)) early.current = { field, text: field.value };
      if (typeof given === "function") return given(field);
      if (given) given.current = field;
      return undefined;
    },
    [given],
  );
}
