import { z } from "zod";

const hex = z.string().regex(/^[0-9a-f]{64}$/);
const position = z.number().int().min(1);

/** A checkpoint as it is sent and stored elsewhere. */
export const checkpointSchema = z
  .object({
    chain: hex.meta({ description: "Hash of the first entry, which names the log." }),
    position: position.meta({ description: "How many entries the log has." }),
    previous: z
      .number()
      .int()
      .min(0)
      .meta({ description: "Position of the checkpoint before; 0 for the first." }),
    hash: hex.meta({ description: "Hash of the last entry, and with it of all of them." }),
    signed_at: z.iso.datetime({ precision: 3 }).meta({ description: "When it was signed." }),
    public_key: hex.meta({ description: "Ed25519 key that signed it: 32 bytes in hex." }),
    signature: z
      .string()
      .regex(/^[A-Za-z0-9+/]{86}==$/)
      .meta({ description: "Ed25519 signature in base64." }),
  })
  .meta({ id: "AuditCheckpoint" });
