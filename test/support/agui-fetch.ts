/** Sends a request for AG-UI's HttpAgent, which leaves the error of a broken response unhandled once more when it cancels its reader. */
export async function aguiFetch(url: string, init: RequestInit): Promise<Response> {
  const response = await fetch(url, init);
  const { body } = response;
  if (body === null) return response;
  const getReader = body.getReader.bind(body) as () => ReadableStreamDefaultReader<Uint8Array>;
  Object.defineProperty(body, 'getReader', {
    value() {
      const reader = getReader();
      const cancel = reader.cancel.bind(reader);
      return Object.assign(reader, { cancel: () => cancel().catch(() => undefined) });
    },
  });
  return response;
}
