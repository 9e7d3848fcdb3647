/**
 * Reads with a body, for endpoints that only read but are a POST.
 *
 * @throws Error with the API's detail
 */
export async function readByPost<T>(path: string, body: object, signal: AbortSignal): Promise<T> {
  const response = await fetch(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
    signal,
  });
  const answer = await response.json().catch(() => null);
  if (!response.ok) throw new Error(answer?.detail ?? "The service did not respond. Please try again.");
  return answer;
}
