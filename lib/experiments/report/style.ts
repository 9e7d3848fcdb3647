/**
 * The look of a report: on paper, in light and in dark, without any file but itself. Variants have the colours
 * that they have in the dashboard.
 */
export const STYLE = `
:root{color-scheme:light dark;--ink:#16181d;--muted:#5a6070;--line:#dfe2e8;--ground:#fff;--sunken:#f6f7f9;--good:#0f6b3d;--good-soft:#e7f6ee;--bad:#a4161a;--bad-soft:#fdecec}
:root{--v0:light-dark(oklch(0.46 0.03 245),oklch(0.74 0.025 245));--v1:light-dark(oklch(0.63 0.105 195),oklch(0.85 0.115 188));--v2:light-dark(oklch(0.47 0.17 285),oklch(0.64 0.165 287));--v3:light-dark(oklch(0.655 0.15 62),oklch(0.82 0.14 76));--v4:light-dark(oklch(0.5 0.18 358),oklch(0.67 0.18 358));--v5:light-dark(oklch(0.625 0.14 145),oklch(0.88 0.15 140));--v6:light-dark(oklch(0.42 0.13 258),oklch(0.61 0.14 255));--v7:light-dark(oklch(0.62 0.15 330),oklch(0.8 0.11 330));--v8:light-dark(oklch(0.5 0.1 103),oklch(0.72 0.12 105));--v9:light-dark(oklch(0.62 0.13 232),oklch(0.8 0.1 228))}
@media (prefers-color-scheme:dark){:root{--ink:#eceef2;--muted:#a3aabb;--line:#31353f;--ground:#14161b;--sunken:#1b1e25;--good:#6fdca4;--good-soft:#12301f;--bad:#ff9a9a;--bad-soft:#3a1618}}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--ink);font:15px/1.55 system-ui,-apple-system,"Segoe UI",sans-serif;font-variant-numeric:tabular-nums}
.page{max-width:76rem;margin:0 auto;padding:2rem 1.25rem 4rem}
h1{font-size:1.9rem;line-height:1.2;margin:.1rem 0 .4rem;letter-spacing:-.02em}
h2{font-size:1.2rem;margin:2.4rem 0 .5rem;letter-spacing:-.01em}
h3{font-size:1rem;margin:1.6rem 0 .1rem}
p{margin:.3rem 0 .6rem;max-width:52rem}
.kind{color:var(--muted);font-size:.8rem;margin:0}
.lead,.note,.why,figcaption{color:var(--muted)}
.note,figcaption{font-size:.85rem}
.facts{display:grid;grid-template-columns:repeat(auto-fit,minmax(12rem,1fr));gap:.8rem 2rem;margin:1rem 0}
.facts.wide{grid-template-columns:1fr}
.facts dt{color:var(--muted);font-size:.8rem}
.facts dd{margin:0;overflow-wrap:anywhere}
.summary{padding-left:1.1rem;max-width:56rem}
.summary li{margin:.35rem 0}
.alarm{color:var(--bad);font-weight:600}
table{border-collapse:collapse;width:100%;font-size:.85rem;margin:.5rem 0}
caption{text-align:left;color:var(--muted);font-size:.8rem;padding-bottom:.3rem}
th,td{text-align:right;padding:.4rem .55rem;border-bottom:1px solid var(--line);white-space:nowrap}
th:first-child,.why{text-align:left}
td.why{white-space:normal}
thead th{color:var(--muted);font-weight:500;background:var(--sunken)}
.drawn{padding-block:0}
.scroll,details{position:relative;overflow-x:auto}
.zero{stroke:var(--muted);stroke-dasharray:3 3}
.series{width:100%;height:auto;display:block;border:1px solid var(--line);border-radius:8px;background:var(--sunken)}
.series text{font-size:11px;fill:var(--muted)}
.legend{display:flex;flex-wrap:wrap;gap:.2rem 1rem;list-style:none;margin:.4rem 0 0;padding:0;font-size:.85rem}
.legend svg,.variant svg{vertical-align:-.1em;margin-right:.35rem}
pre{white-space:pre-wrap;overflow-wrap:anywhere;margin:0}
.changed pre{font:inherit}
figure{margin:.8rem 0}
details{border:1px solid var(--line);border-radius:8px;padding:.5rem .8rem;margin:.5rem 0;overflow-x:auto}
summary{cursor:pointer;font-size:.9rem}
pre{font-size:.78rem;white-space:pre-wrap;overflow-wrap:anywhere;margin:.5rem 0 0}
blockquote{margin:.8rem 0;padding:.2rem 1rem;border-left:3px solid var(--line);color:var(--muted)}
.verdict{border:1px solid var(--line);border-radius:10px;padding:.8rem 1rem;margin:0 0 1.6rem;background:var(--sunken)}
.verdict strong{display:block}
.verdict[data-state=verified]{background:var(--good-soft);border-color:var(--good);color:var(--good)}
.verdict[data-state=failed]{background:var(--bad-soft);border-color:var(--bad);color:var(--bad)}
.verdict p{color:var(--ink);margin:.2rem 0 0;overflow-wrap:anywhere}
.seals code{overflow-wrap:anywhere;font-size:.78rem}
input[type=file]{font:inherit;max-width:100%}
:focus-visible{outline:2px solid var(--v6);outline-offset:2px}
.sr{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
@media (max-width:40rem){.page{padding:1.2rem .9rem 3rem}h1{font-size:1.5rem}}
@media print{:root{color-scheme:light;--ground:#fff;--ink:#000}body{font-size:11px}.page{max-width:none;padding:0}.compare{display:none}.metric,table{break-inside:avoid}}
`;
