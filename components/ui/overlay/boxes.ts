/**
 * The floating box of menus and popovers. It goes at once: while a box fades it still takes the next press as one
 * outside of it, and a second press on its own button would open nothing.
 */
export const popClass =
  "z-50 overflow-hidden rounded-lg bg-raised text-ink shadow-pop data-[state=open]:animate-pop-in";

/** The dimmed page behind anything modal. */
export const scrimClass =
  "fixed inset-0 z-40 bg-scrim data-[state=open]:animate-fade-in data-[state=closed]:animate-fade-out";

/** A modal box: full width at the bottom of a phone, centred from 640 px on. */
export const modalClass =
  "fixed z-50 flex max-h-[min(88dvh,56rem)] flex-col overflow-hidden bg-raised text-ink shadow-modal inset-x-0 bottom-0 rounded-t-xl data-[state=open]:animate-rise-in sm:inset-x-4 sm:top-[12vh] sm:bottom-auto sm:mx-auto sm:max-h-[76vh] sm:rounded-xl";
