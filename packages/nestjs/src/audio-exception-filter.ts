import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, Logger } from '@nestjs/common'
import type { GatewayResponse } from '@svc-audio/core/adapter'
import { failureAnswer, logFailure, toGatewayError } from '@svc-audio/upload'
import { cutResponse } from '@svc-audio/upload/adapter'
import { throwError } from 'rxjs'
import {
  type AudioErrorBody,
  audioException,
  AudioFailure,
  errorBody,
  responseOf,
  setRetryAfter,
} from './audio-exception.ts'
import { nativeResponse } from './platform.ts'

/** The response methods that Express and Fastify share. */
interface Reply {
  status(status: number): Reply
  header(name: string, value: string): Reply
  send(body: object): unknown
}

/**
 * Answers errors of this package and of the client with `{ statusCode, errorCode, message }`. Status, code and message
 * are those of `gatewayResponse` of `@svc-audio/core/adapter`. Extend it to change the body or the log.
 *
 * | Context      | Answer                                                                                       |
 * | ------------ | -------------------------------------------------------------------------------------------- |
 * | HTTP         | the body with its status, and `Retry-After`; nothing to a client that has disconnected       |
 * | microservice | the body, with `status: 'error'`, as the error of the caller's observable                    |
 * | WebSocket    | an `exception` event with the same content, and the failed message as `cause`                |
 * | GraphQL      | an error with `extensions`: `code`, `statusCode`, and `retryAfterSeconds` if the service sent it |
 * | other        | a Nest `HttpException` is thrown                                                             |
 *
 * If the response has begun, the filter cuts the connection. Nest does not apply global filters to gateways: bind it
 * there.
 *
 * @example
 * app.useGlobalFilters(new AudioExceptionFilter())
 */
@Catch(AudioFailure)
export class AudioExceptionFilter implements ExceptionFilter {
  protected readonly logger: Logger = new Logger(AudioExceptionFilter.name)

  /** Nest uses the returned observable in microservices and ignores it elsewhere. */
  catch(error: unknown, host: ArgumentsHost): unknown {
    const response = responseOf(error) ?? failureAnswer(error)
    // Nest passes only what the decorator names. A direct call may pass anything.
    if (response === undefined) throw error
    const original = error instanceof HttpException ? error.cause : toGatewayError(error)
    this.report(original, response, host)
    const body = this.format(response, host)
    switch (host.getType<string>()) {
      case 'http':
        return answerHttp(host, body, response)
      case 'rpc':
        // A filter that throws leaves the caller without a response.
        return throwError(() => ({ status: 'error', ...body }))
      case 'ws':
        return sendToSocket(host.switchToWs(), { status: 'error', ...body })
      case 'graphql':
        throw new GraphqlFailure(response, original)
      default:
        throw audioException(error, response)
    }
  }

  /** Creates the body of the response. Override it for your own form. @default `{ statusCode, errorCode, message }` */
  protected format(response: GatewayResponse, _host: ArgumentsHost): object {
    return errorBody(response) satisfies AudioErrorBody
  }

  /**
   * Logs the error. It contains the service's message and never the key. @default one line with every cause for status
   * 500 and above, unless an interceptor has logged the error
   */
  protected report(error: unknown, _answer: GatewayResponse, _host: ArgumentsHost): void {
    logFailure(error, { logger: this.logger })
  }
}

/** GraphQL copies `extensions` of a thrown error into its response. The drivers of Nest do so unless it is an HttpException. */
class GraphqlFailure extends Error {
  readonly extensions: Readonly<Record<string, unknown>>

  constructor({ status, code, message, retryAfterSeconds }: GatewayResponse, cause: unknown) {
    super(message, { cause })
    const retry = retryAfterSeconds === undefined ? {} : { retryAfterSeconds }
    this.extensions = { code, statusCode: status, ...retry }
  }
}

/** Nest's own filter also names the failed message, for clients with several messages in flight. */
function sendToSocket(ws: ReturnType<ArgumentsHost['switchToWs']>, body: object): void {
  sendException(ws.getClient(), { ...body, cause: { pattern: ws.getPattern(), data: ws.getData<unknown>() } })
}

function answerHttp(host: ArgumentsHost, body: object, response: GatewayResponse): void {
  const native = nativeResponse(host)
  if (response.status === 499 || native.headersSent) {
    cutResponse(native)
    return
  }
  setRetryAfter(host, response)
  const reply = host.switchToHttp().getResponse<Reply>()
  // The route may have set the type of its audio already.
  reply.status(response.status).header('content-type', 'application/json; charset=utf-8').send(body)
}

/** The part of a gateway's client that this file uses: of socket.io, or of the `ws` package. */
interface SocketLike {
  readonly readyState?: unknown
  emit?(event: string, data: object): unknown
  send?(text: string): unknown
}

/**
 * Sends an `exception` event, as Nest's own WebSocket filter does. `emit` of the `ws` package reaches only its own
 * listeners, so that client gets a message in the form of Nest's `WsAdapter`.
 */
function sendException(client: SocketLike, data: object): void {
  if (typeof client.readyState === 'number') client.send?.(JSON.stringify({ event: 'exception', data }))
  else client.emit?.('exception', data)
}
