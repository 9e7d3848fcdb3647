import type { Theme } from "./theme.ts";

/**
 * The style of every card: `.survey` is a page or a box on somebody's page, `.card` its content. Without a theme it
 * follows the reader's light or dark mode; a theme sets the same properties.
 */
const STYLES = `
.survey { color-scheme: light dark;
  --page: light-dark(#ffffff, #14171b); --ink: light-dark(#16191e, #eef0f2);
  --muted: light-dark(#4d555f, #b4bac2); --line: light-dark(#d9dde2, #343a42);
  --control: light-dark(#848c96, #767f8a); --field: light-dark(#ffffff, #1b1f25);
  --on-field: var(--ink); --choice: light-dark(#ffffff, #1b1f25); --on-choice: var(--ink);
  --chosen: light-dark(#0f6a76, #5fd0d8); --on-chosen: light-dark(#ffffff, #06262a);
  --accent: light-dark(#0f6a76, #5fd0d8); --on-accent: light-dark(#ffffff, #06262a);
  --focus: light-dark(#0f6a76, #5fd0d8); --danger: light-dark(#b3261e, #ff8f86);
  --danger-soft: light-dark(#fdf1f0, #2c1a1a); --radius: 10px;
  --font: ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
.survey.light { --danger: #b3261e; --danger-soft: #fdf1f0; }
.survey.dark { --danger: #ffb4ad; --danger-soft: #3a1d1c; }
*, ::before, ::after { box-sizing: border-box; }
.survey { background: var(--page); color: var(--ink); font: 1rem/1.5 var(--font); -webkit-text-size-adjust: 100%;
  accent-color: var(--chosen); }
body.survey { margin: 0; min-height: 100vh; min-height: 100dvh; display: grid; grid-template-rows: auto 1fr; }
body.embed { min-height: 0; }
.card { container-type: inline-size; width: min(100% - 2.5rem, 40rem); margin-inline: auto;
  padding-block: clamp(1.75rem, 9vh, 6.5rem) 3rem; }
.embed .card { width: min(100% - 2rem, 40rem); padding-block: 1.25rem; }
.steps { position: relative; height: 4px; background: color-mix(in oklab, var(--ink) 10%, transparent); }
.steps span { position: absolute; inset-block: 0; inset-inline-start: 0; background: var(--accent);
  border-start-end-radius: 2px; border-end-end-radius: 2px; }
.preview { position: sticky; inset-block-end: .75rem; order: 1; width: fit-content; max-width: calc(100% - 2rem);
  margin: auto; padding: .375rem .875rem; color: var(--page); background: var(--ink); border-radius: 99px;
  font-size: .875rem; } .preview a { color: inherit; }
.meta { display: flex; gap: .75rem; align-items: baseline; margin: 0 0 .75rem; color: var(--muted);
  font-size: .875rem; font-variant-numeric: tabular-nums; }
.tag { border: 1px solid var(--line); border-radius: 99px; padding: .05rem .55rem; font-size: .8125rem; }
h1 { margin: 0; font-size: clamp(1.375rem, 1rem + 2.2cqi, 1.875rem); line-height: 1.25; font-weight: 640;
  letter-spacing: -.012em; text-wrap: balance; overflow-wrap: anywhere; }
:is(h1, .card):focus { outline: none; }
.about { margin: .625rem 0 0; color: var(--muted); overflow-wrap: anywhere; font-size: 1.0625rem; }
.about :first-child { margin-top: 0; } .about :last-child { margin-bottom: 0; }
.about img { max-width: 100%; height: auto; border-radius: var(--radius); }
.about a, .plain { color: inherit; text-underline-offset: .2em; }
.text { white-space: pre-line; }
fieldset { border: 0; margin: 0; padding: 0; min-width: 0; }
legend { padding: 0; display: block; width: 100%; }
.field { margin-block: 1.75rem 0; }
textarea, input[type=text] { width: 100%; font: inherit; color: var(--on-field); background: var(--field);
  border: 1px solid var(--control); border-radius: var(--radius); padding: .75rem .875rem; }
textarea { min-height: 8rem; resize: vertical; display: block; }
::placeholder { color: color-mix(in oklab, var(--on-field) 72%, var(--field)); opacity: 1; }
.hint { margin: .5rem 0; color: var(--muted); font-size: .875rem; }
.ratings { display: grid; grid-template-columns: repeat(auto-fit, minmax(2.75rem, 1fr)); gap: .5rem; }
.ratings.eleven { grid-template-columns: repeat(6, 1fr); }
.ratings.faces { grid-template-columns: repeat(var(--n), minmax(0, 4.5rem)); }
.faces + .bounds { max-width: calc(var(--n) * 5rem); }
.bounds { display: flex; justify-content: space-between; gap: 1.5rem; margin-top: .625rem; color: var(--muted);
  font-size: .875rem; } .bounds span:last-child { text-align: end; }
.rate { position: relative; }
.rate label, .rate button { display: grid; place-items: center; width: 100%; min-height: 3rem; font: inherit;
  font-weight: 560; font-variant-numeric: tabular-nums; cursor: pointer; color: var(--on-choice);
  background: var(--choice); border: 1px solid var(--control); border-radius: var(--radius); padding: 0; }
.faces .rate label, .faces .rate button { min-height: 4rem; }
.faces svg { width: 2.25rem; height: 2.25rem; }
.rate input, .choice input { position: absolute; opacity: 0; inset: 0; width: 100%; height: 100%; margin: 0;
  cursor: pointer; }
.rate input:checked + label, .rate button[aria-pressed=true] { background: var(--chosen); color: var(--on-chosen);
  border-color: var(--chosen); }
.rate :is(label, button):hover, .choice:hover { border-color: var(--ink); }
.choices { display: grid; gap: .5rem; }
.choice { position: relative; display: grid; grid-template-columns: auto 1fr; gap: .75rem; align-items: center;
  min-height: 3.25rem; padding: .75rem .9375rem; color: var(--on-choice); background: var(--choice); width: 100%;
  border: 1px solid var(--control); border-radius: var(--radius); overflow-wrap: anywhere; text-align: start; }
button.choice { grid-template-columns: 1fr; font: inherit; cursor: pointer; }
.choice::before { content: ""; width: 1.25rem; height: 1.25rem; border: 1.5px solid var(--control);
  border-radius: 50%; background: var(--choice); grid-area: 1 / 1; }
button.choice::before { display: none; }
.many .choice::before { border-radius: 5px; }
.choice label { grid-area: 1 / 2; }
.choice:has(input:checked), button.choice[aria-pressed=true] { border-color: var(--chosen);
  box-shadow: inset 0 0 0 1px var(--chosen); }
.choice:has(input:checked)::before { border-color: var(--chosen); background: var(--chosen); }
.choice:has(input:checked)::after { content: ""; grid-area: 1 / 1; place-self: center; width: .5rem; height: .5rem;
  border-radius: 50%; background: var(--on-chosen); pointer-events: none; }
.many .choice:has(input:checked)::after { width: .3125rem; height: .625rem; border-radius: 0; background: none;
  border: solid var(--on-chosen); border-width: 0 2px 2px 0; transform: translateY(-1px) rotate(45deg); }
.choice:not(:has(input:checked)) + .own { display: none; } .own { margin-top: .5rem; } .own input { min-height: 3.25rem; }
:focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; }
.rate input:focus-visible + label, .choice:has(input:focus-visible) { outline: 3px solid var(--focus);
  outline-offset: 2px; }
.actions { display: flex; flex-wrap: wrap; gap: .75rem; align-items: center; margin-top: 2rem; }
.button { appearance: none; display: inline-flex; align-items: center; justify-content: center; gap: .5rem; font: inherit;
  font-weight: 600; min-height: 3rem; padding: .5rem 1.5rem; cursor: pointer; color: var(--on-accent);
  background: var(--accent); border: 1px solid var(--accent); border-radius: var(--radius); text-decoration: none; }
.button:hover { filter: brightness(1.08); }
.quiet { color: var(--ink); background: transparent; border-color: transparent; padding-inline: 1rem; font-weight: 500; }
.quiet:hover { background: color-mix(in oklab, var(--ink) 8%, transparent); filter: none; }
.outlined { color: var(--ink); background: transparent; border-color: var(--control); }
.problems { margin: 0 0 1.75rem; padding: .875rem 1rem; border: 1px solid var(--danger);
  border-inline-start-width: 5px; border-radius: var(--radius); background: var(--danger-soft); }
.problems h2 { margin: 0; font-size: 1rem; color: var(--danger); } .problems p { margin: .125rem 0 0; }
.problems, .problems a { color: var(--ink); }
.problem { margin: .5rem 0; color: var(--danger); font-weight: 560; }
[aria-invalid=true] { border-color: var(--danger); }
.mark { width: 3.25rem; height: 3.25rem; margin-bottom: 1.25rem; color: var(--accent); }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
@container (max-width: 27.5rem) { .actions { justify-content: center; } .actions .button:first-child:not(.quiet) { flex: 1 1 100%; } }
@container (min-width: 33.5rem) { .ratings.eleven { grid-template-columns: repeat(11, 1fr); } }
.box { background: none; }
.box .card { width: 100%; max-width: var(--width); padding: var(--padding); background: var(--page);
  border: 1px solid var(--line); border-radius: var(--radius); box-shadow: var(--shadow); }
.closable .card { position: relative; }
.closable .card::after { content: "✕"; position: absolute; inset-block-start: -.75rem; inset-inline-end: -.75rem;
  display: grid; place-items: center; width: 1.75rem; height: 1.75rem; font-size: .75rem; background: var(--page);
  border: 1px solid var(--line); border-radius: 50%; }
.box :is(.meta, .mark) { display: none; }
.box h1 { font-size: 1rem; line-height: 1.4; letter-spacing: 0; }
.box .about { margin-top: .25rem; font-size: .875rem; }
.box .field { margin-top: .875rem; }
.box :is(textarea, .own input) { min-height: 0; padding: .5rem .625rem; font-size: .875rem; }
.box .ratings:not(.faces, .eleven) { grid-template-columns: repeat(auto-fit, minmax(1.75rem, 1fr)); }
.box .ratings:not(.faces) { gap: .25rem; }
.box .rate :is(label, button) { min-height: 2.25rem; font-size: .875rem; }
.box .bounds { margin-top: .375rem; font-size: .8125rem; }
.box .choices { gap: .375rem; }
.box .choice { min-height: 2.5rem; padding: .375rem .625rem; gap: .625rem; font-size: .875rem; }
.box .choice::before { width: 1.125rem; height: 1.125rem; }
.box .actions { margin-top: 1rem; gap: .5rem; }
.box .button { flex: 1 1 auto; min-height: 2.25rem; padding: .375rem .75rem; font-size: .875rem; }
.box .problems { margin-bottom: 1rem; padding: .5rem .625rem; font-size: .875rem; }
@media (forced-colors: active) { .rate input:checked + label, .choice:has(input:checked) { outline: 3px solid Highlight; } }
@media (prefers-reduced-motion: no-preference) { .card { animation: in .18s ease-out; }
  @keyframes in { from { transform: translateY(8px); } } }
@media print { .actions, .steps { display: none; } }
`;

/** The style of the cards of a survey. */
export const stylesOf = ({ scheme, properties }: Theme): string =>
  properties === "" ? STYLES : `${STYLES}.survey { color-scheme: ${scheme}; ${properties} }`;

/** The classes of what surrounds a card. */
export const classesFor = ({ scheme }: Theme, more = ""): string =>
  `survey${scheme === "light dark" ? "" : ` ${scheme}`}${more === "" ? "" : ` ${more}`}`;
