/**
 * A response that is sent as it is made. The first part is made before it begins: what fails there is an error, and not
 * half a file.
 */
export async function streamed(
  chunks: AsyncGenerator<string>,
  headers: Record<string, string>,
): Promise<Response> {
  const first = await chunks.next();
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      if (!first.done) controller.enqueue(encoder.encode(first.value));
    },
    async pull(controller) {
      const { value, done } = await chunks.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    async cancel() {
      await chunks.return(undefined);
    },
  });
  return new Response(body, { headers });
}
