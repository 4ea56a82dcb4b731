import {
  type CallHandler,
  type ExecutionContext,
  Inject,
  mixin,
  type NestInterceptor,
  type OnModuleInit,
  type Type,
} from '@nestjs/common'
import { HttpAdapterHost } from '@nestjs/core'
import type { AudioClient } from '@svc-audio/core'
import {
  assertTranscribeOptions,
  disconnectSignal,
  optionRules,
  type TranscribeOptions,
  transcribeRequest,
} from '@svc-audio/upload'
import { concatMap, defer, finalize, from, type Observable } from 'rxjs'
import { acceptMultipart } from './accept-multipart.ts'
import { getAudioClientToken } from './client-token.ts'
import { assertHttp, nativeRequest, nativeResponse } from './platform.ts'
import { keepTranscribed } from './transcribed-request.ts'

/** Options of {@link TranscribeInterceptor}. Those that are functions get the execution context. */
export interface TranscribeInterceptorOptions extends TranscribeOptions<ExecutionContext> {
  /** Name of the client, as given to `AudioModule.forRoot({ name })`. @default the client without a name */
  readonly client?: string
}

/**
 * Makes an interceptor that transcribes the one file of a multipart form before the route runs, on Express and on
 * Fastify. The file flows straight to the service, whose work begins before the upload has ended: nothing of it is kept
 * in memory or on disk. When the client leaves, or an interceptor bound before gives up, the call to the service is
 * aborted.
 *
 * The route gets the outcome by the parameters `@Transcription()` and `@Upload()`. Failures go to the exception
 * filters, for which `AudioExceptionFilter` is made: `UploadError`, `ClientDisconnectedError`, and the errors of the client. An
 * upload cannot be sent twice, so a failed call is not repeated.
 *
 * @throws ConfigurationError naming a wrong option
 *
 * @example
 * @Post('transcribe')
 * @UseInterceptors(TranscribeInterceptor({ model: 'svc-transcribe-1.0' }))
 * transcribe(@Transcription() { text }: Transcription) {
 *   return text
 * }
 */
export function TranscribeInterceptor(options: TranscribeInterceptorOptions): Type<NestInterceptor> {
  assertTranscribeOptions(options, 'TranscribeInterceptor', { client: optionRules.optional(optionRules.text) })
  const { client: name, ...rest } = options

  class Interceptor implements NestInterceptor, OnModuleInit {
    readonly #client: AudioClient
    readonly #host: HttpAdapterHost

    constructor(
      @Inject(getAudioClientToken(name)) client: AudioClient,
      @Inject(HttpAdapterHost) host: HttpAdapterHost,
    ) {
      this.#client = client
      this.#host = host
    }

    onModuleInit(): void {
      acceptMultipart(this.#host)
    }

    intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
      assertHttp(context)
      return whileWanted((signal) => this.#transcribe(context, signal)).pipe(concatMap(() => next.handle()))
    }

    async #transcribe(context: ExecutionContext, unwanted: AbortSignal): Promise<void> {
      const signal = AbortSignal.any([unwanted, disconnectSignal(nativeResponse(context))])
      const outcome = await transcribeRequest(nativeRequest(context), rest, {
        client: this.#client,
        signal,
        context,
      })
      keepTranscribed(context, outcome)
    }
  }
  return mixin(Interceptor)
}

/** Work whose signal aborts when nobody waits for it any more, as an interceptor bound before that has timed out. */
function whileWanted(work: (signal: AbortSignal) => Promise<void>): Observable<void> {
  return defer(() => {
    const controller = new AbortController()
    return from(work(controller.signal)).pipe(finalize(() => controller.abort()))
  })
}
