import type { ServerResponse } from 'node:http'

// Node leads from a response to its request, not back.
const responses = new WeakMap<object, ServerResponse>()

/** Remembers the response of a request, for the time in which a refused upload is discarded. */
export function rememberResponse(response: ServerResponse): void {
  responses.set(response.req, response)
}

/** The response of a request, if a signal of `disconnectSignal` watches it. */
export function responseOf(request: object): ServerResponse | undefined {
  return responses.get(request)
}
