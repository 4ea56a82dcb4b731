import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, Logger } from '@nestjs/common'
import type { GatewayAnswer } from '@svc-audio/core'
import { describeFailure, failureAnswer } from '@svc-audio/upload'
import { AudioFailure } from './audio-failure.ts'
import { nativeResponse } from './platform.ts'

/** What the responses of Express and Fastify have in common. */
interface Reply {
  status(status: number): Reply
  header(name: string, value: string): Reply
  send(body: object): unknown
}

/**
 * Answers failures of this package in its own words, as `{ "statusCode", "errorCode", "message" }`: refused uploads
 * with their status, failed calls to the service as `gatewayAnswer` of `@svc-audio/core` says, with `Retry-After` where
 * the service named a time. To a client that has left it writes nothing; where an answer is on its way already, it cuts
 * the connection. Outside of HTTP it throws the answer as an `HttpException`.
 *
 * @example
 * app.useGlobalFilters(new AudioExceptionFilter())
 */
@Catch(AudioFailure)
export class AudioExceptionFilter implements ExceptionFilter {
  protected readonly logger: Logger = new Logger(AudioExceptionFilter.name)

  catch(error: unknown, host: ArgumentsHost): void {
    const answer = failureAnswer(error)
    // Nest hands over what the decorator above names; a call from elsewhere may bring anything.
    if (answer === undefined) throw error
    this.report(error, answer)
    const { status, code, message } = answer
    const body = { statusCode: status, errorCode: code, message }
    if (host.getType() !== 'http') throw new HttpException(body, status)
    const native = nativeResponse(host)
    if (status === 499 || native.headersSent) native.destroy()
    else send(host.switchToHttp().getResponse<Reply>(), body, answer)
  }

  /**
   * Tells the log what happened. The error is the original one and holds the service's own words; it never holds the
   * key. Override it to log otherwise. @default faults of this side and of the service, 500 and above, as errors
   */
  protected report(error: unknown, { status, code }: GatewayAnswer): void {
    if (status >= 500) this.logger.error(`${code}: ${describeFailure(error)}`)
  }
}

function send(reply: Reply, body: object, { status, retryAfterSeconds }: GatewayAnswer): void {
  if (retryAfterSeconds !== undefined) reply.header('retry-after', String(retryAfterSeconds))
  // A route that was to answer with audio may have set another type already.
  reply.status(status).header('content-type', 'application/json; charset=utf-8').send(body)
}
