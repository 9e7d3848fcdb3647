/** The part of an S3-compatible server that tests use; the package comes without types. */
declare module "@20minutes/s3rver" {
  import type { AddressInfo } from "node:net";

  type Options = {
    port: number;
    address: string;
    directory: string;
    silent: boolean;
    configureBuckets: { name: string }[];
    allowMismatchedSignatures?: boolean;
  };
  class S3rver {
    constructor(options: Options);
    run(): Promise<AddressInfo>;
    close(): Promise<void>;
  }
  export = S3rver;
}
