import fc from "fast-check";
import qrcode from "qrcode-generator";
import { describe, expect, it } from "vitest";
import { qrCodeOf, qrPath, qrSvg } from "./qr.ts";

const ADDRESS = "https://switchyard.example.com/external_surveys/01a20254-6954-740a-ac18-6217e45e64a3/";

/** Which modules a path fills, as "x y". */
function filledBy(path: string): Set<string> {
  const filled = new Set<string>();
  for (const [, x, y, length, back] of path.matchAll(/M(\d+) (\d+)h(\d+)v1h-(\d+)z/g)) {
    expect(back).toBe(length);
    for (let i = 0; i < Number(length); i++) filled.add(`${Number(x) + i} ${y}`);
  }
  return filled;
}

describe("a QR code", () => {
  it("draws exactly the dark modules, with four empty ones around them", () => {
    fc.assert(
      fc.property(fc.webUrl({ size: "small" }), (address) => {
        const expected = qrcode(0, "M");
        expected.addData(address);
        expected.make();
        const count = expected.getModuleCount();
        const code = qrCodeOf(address);
        const filled = filledBy(qrPath(code));
        expect(code.size).toBe(count + 8);
        for (let y = 0; y < code.size; y++)
          for (let x = 0; x < code.size; x++) {
            const inside = x >= 4 && y >= 4 && x < count + 4 && y < count + 4;
            expect(filled.has(`${x} ${y}`)).toBe(inside && expected.isDark(y - 4, x - 4));
          }
      }),
      { numRuns: 20 },
    );
  });

  it("is a file of its own, black on white whatever the theme", () => {
    const svg = qrSvg(qrCodeOf(ADDRESS));
    expect(svg).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" viewBox="0 0 (\d+) \1"/);
    expect(svg).toContain('fill="#fff"');
    expect(svg).not.toContain("currentColor");
  });
});
