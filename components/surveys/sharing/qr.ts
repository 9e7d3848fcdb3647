import qrcode from "qrcode-generator";

/** Empty modules around the code, which readers need to find it (ISO/IEC 18004). */
const QUIET_ZONE = 4;

/** A QR code: its width in modules with the quiet zone, and the dark modules as runs of each row. */
export type QrCode = { size: number; runs: readonly { x: number; y: number; length: number }[] };

/** The QR code of an address; it stays readable with 15% of it covered. */
export function qrCodeOf(text: string): QrCode {
  const code = qrcode(0, "M");
  code.addData(text);
  code.make();
  const count = code.getModuleCount();
  const runs: { x: number; y: number; length: number }[] = [];
  for (let row = 0; row < count; row++)
    for (let column = 0; column < count; column++) {
      if (!code.isDark(row, column)) continue;
      const last = runs.at(-1);
      const [x, y] = [column + QUIET_ZONE, row + QUIET_ZONE];
      if (last && last.y === y && last.x + last.length === x) last.length += 1;
      else runs.push({ x, y, length: 1 });
    }
  return { size: count + 2 * QUIET_ZONE, runs };
}

/** The dark modules as the path of a drawing in which a module is one unit wide. */
export const qrPath = ({ runs }: QrCode): string =>
  runs.map(({ x, y, length }) => `M${x} ${y}h${length}v1h-${length}z`).join("");

/** The code as an SVG file, black on white. */
export function qrSvg(code: QrCode): string {
  const { size } = code;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" width="${size * 8}" height="${size * 8}" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h${size}v${size}H0z"/><path d="${qrPath(code)}"/></svg>\n`;
}
