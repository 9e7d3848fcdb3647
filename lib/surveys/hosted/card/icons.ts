const svg = (content: string) =>
  `<svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true" focusable="false">${content}</svg>`;

/**
 * A drawn face.
 *
 * @param mood from 0, unhappy, to 1, happy
 */
export function face(mood: number): string {
  const bend = (mood - 0.5) * 6;
  const edge = 15.5 - bend / 2;
  const mouth = `M8 ${edge.toFixed(2)}Q12 ${(edge + bend * 1.4).toFixed(2)} 16 ${edge.toFixed(2)}`;
  const brows = mood < 0.2 ? '<path d="M7.6 8l2 .9M16.4 8l-2 .9"/>' : "";
  const dot = (x: number) => `<circle cx="${x}" cy="10.2" r=".55" fill="currentColor"/>`;
  return svg(`<circle cx="12" cy="12" r="9.2"/>${brows}${dot(9)}${dot(15)}<path d="${mouth}"/>`);
}

/** A thumb that points up or down. */
export const thumb = (isUp: boolean): string =>
  svg(
    `<g${isUp ? "" : ' transform="rotate(180 12 12)"'}><path d="M4 11h3v8.5H4zM7 11l4-7.2c1.5 0 2.4 1 2.1 2.6L12.5 9.5h5.6c1.2 0 2 1 1.7 2.2l-1.5 6.2c-.2.9-1 1.6-2 1.6H7"/></g>`,
  );

/** A tick in a circle. */
export const TICK = svg('<circle cx="12" cy="12" r="10"/><path d="M7.5 12.4l3 3 6-6.4"/>').replace(
  "<svg ",
  '<svg class="mark" ',
);
