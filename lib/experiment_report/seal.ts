import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { canonical, type ReportData, type ReportDefinitions, type ReportSeals } from "./document.ts";

/** SHA-256 of a text's UTF-8, in hexadecimal. */
export const hashOf = (text: string): string => bytesToHex(sha256(utf8ToBytes(text)));

/** The seals of a report: they change with any figure of the data and any word of the definitions. */
export function sealsOf(definitions: ReportDefinitions, data: ReportData): ReportSeals {
  const [ofDefinitions, ofData] = [hashOf(canonical(definitions)), hashOf(canonical(data))];
  return { definitions: ofDefinitions, data: ofData, all: hashOf(`${ofDefinitions}${ofData}`) };
}
