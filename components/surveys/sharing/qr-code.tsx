"use client";

import { Download } from "lucide-react";
import { useMemo } from "react";
import { Button } from "#components/ui/button.tsx";
import { toast } from "#components/ui/overlay/toaster.tsx";
import { saveFile } from "#components/ui/save-file.ts";
import { type QrCode as Code, qrCodeOf, qrPath, qrSvg } from "./qr.ts";

const PIXELS_A_MODULE = 16;

/** The code as a PNG file, large enough for print. */
function pngOf({ size, runs }: Code): Promise<Blob | null> {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = size * PIXELS_A_MODULE;
  const pen = canvas.getContext("2d");
  if (!pen) return Promise.resolve(null);
  pen.scale(PIXELS_A_MODULE, PIXELS_A_MODULE);
  pen.fillStyle = "#fff";
  pen.fillRect(0, 0, size, size);
  pen.fillStyle = "#000";
  for (const { x, y, length } of runs) pen.fillRect(x, y, length, 1);
  return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
}

type Props = {
  text: string;
  /** What the code is of, for screen readers: "QR code of the survey's address". */
  label: string;
  /** Name of the downloaded files, without their ending. */
  name: string;
};

/** A QR code that can be downloaded. It is black on white in every theme: not every camera reads it inverted. */
export function QrCode({ text, label, name }: Props) {
  const code = useMemo(() => qrCodeOf(text), [text]);
  async function savePng() {
    const png = await pngOf(code);
    if (png) saveFile(`${name}.png`, png);
    else toast.error("Your browser could not create the image. Download the SVG instead.");
  }
  const saveSvg = () => saveFile(`${name}.svg`, new Blob([qrSvg(code)], { type: "image/svg+xml" }));
  return (
    <div className="flex w-40 flex-col gap-2">
      <svg
        role="img"
        aria-label={label}
        viewBox={`0 0 ${code.size} ${code.size}`}
        shapeRendering="crispEdges"
        className="w-full rounded-md border bg-white"
      >
        <path d={qrPath(code)} fill="#000" />
      </svg>
      <div className="grid grid-cols-2 gap-2">
        <Button size="sm" icon={Download} aria-label="Download the QR code as SVG" onClick={saveSvg}>
          SVG
        </Button>
        <Button size="sm" icon={Download} aria-label="Download the QR code as PNG" onClick={savePng}>
          PNG
        </Button>
      </div>
    </div>
  );
}
