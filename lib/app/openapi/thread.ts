import { parentPort, workerData } from "node:worker_threads";
import { apiDocument } from "./document.ts";

parentPort?.postMessage(JSON.stringify(apiDocument(workerData)));
