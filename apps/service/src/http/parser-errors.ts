import { randomUUID } from 'node:crypto'
import { type Server, STATUS_CODES } from 'node:http'
import { errorCode } from '../domain/error-code.ts'
import { ServiceError } from '../domain/service-error.ts'
import { responseInFlight } from './accepted-requests.ts'
import { errorBody } from './error-handler.ts'

/**
 * Answers bytes that are no HTTP request with the one error body and a request id, as every other error. Closes the
 * connection: the next request cannot be found in it.
 */
export function answerParserErrors(server: Server): void {
  server.on('clientError', (error, socket) => {
    // A client that disconnected reads no response, and a response that has started cannot become another.
    if (errorCode(error) === 'ECONNRESET' || !socket.writable || responseInFlight(socket)?.headersSent === true) {
      socket.destroy()
      return
    }
    const failure = failureOf(errorCode(error))
    const body = JSON.stringify(errorBody(failure))
    const head = [
      `HTTP/1.1 ${failure.status} ${STATUS_CODES[failure.status] ?? ''}`,
      'content-type: application/json; charset=utf-8',
      `content-length: ${Buffer.byteLength(body)}`,
      `x-request-id: ${randomUUID()}`,
      'connection: close',
    ]
    socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
  })
}

function failureOf(code: string): ServiceError {
  if (code === 'HPE_HEADER_OVERFLOW') {
    return new ServiceError(431, 'headers_too_large', 'The headers are too large: send at most 16 KB')
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new ServiceError(408, 'request_timeout', 'The request did not arrive in time')
  }
  return new ServiceError(400, 'invalid_request', 'The bytes are not an HTTP request')
}
