import type { IncomingMessage, Server, ServerResponse } from 'node:http'

/**
 * Answers `Expect: 100-continue` when the body is read for the first time. By then the key and the announced size are
 * checked, so a request that is refused for them gets its error instead, and its body is never sent. Node alone would
 * ask for the body before any check.
 */
export function delayContinue(server: Server): void {
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    const read = request.read.bind(request)
    // False if the client asked to close the connection.
    const { shouldKeepAlive } = response
    // A client that was not asked may send the body or not: only a new connection is unambiguous.
    response.shouldKeepAlive = false
    request.read = (size) => {
      request.read = read
      if (!response.headersSent) {
        response.shouldKeepAlive = shouldKeepAlive
        response.writeContinue()
      }
      return read(size) as unknown
    }
    server.emit('request', request, response)
  })
}
