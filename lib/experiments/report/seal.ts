import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import {
  canonical,
  type ReportData,
  type ReportDefinitions,
  type ReportDocument,
  type ReportSeals,
} from "./document.ts";

/** SHA-256 of a text's UTF-8, in hexadecimal. */
export const sha256Hex = (text: string): string => bytesToHex(sha256(utf8ToBytes(text)));

/** The seals of a report: they change with any figure of the data and any word of the definitions. */
export function computeSeals(definitions: ReportDefinitions, data: ReportData): ReportSeals {
  const [ofDefinitions, ofData] = [sha256Hex(canonical(definitions)), sha256Hex(canonical(data))];
  return { definitions: ofDefinitions, data: ofData, all: sha256Hex(`${ofDefinitions}${ofData}`) };
}

/** What the service signs: a digest of the whole report but the signature. */
export function digestOf(report: ReportDocument): string {
  const { signature: _, ...seals } = report.seals;
  return sha256Hex(canonical({ ...report, seals }));
}
