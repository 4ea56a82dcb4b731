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
import { type AudioClient, MAX_FILE_BYTES, type TranscriptionCreateBody } from '@svc-audio/core'
import {
  assertUploadOptions,
  describeUpload,
  disconnectSignal,
  type IncomingUpload,
  receiveUpload,
  type UploadOptions,
} from '@svc-audio/upload'
import { concatMap, defer, finalize, from, type Observable } from 'rxjs'
import { acceptMultipart } from './accept-multipart.ts'
import { getAudioClientToken } from './client-token.ts'
import { nativeRequest, nativeResponse } from './platform.ts'

import { keepTranscribed, type Transcription } from './transcribed-request.ts'

/** Fields of a transcription that can be set, by their names on the wire. */
export type TranscriptionFields = Pick<TranscriptionCreateBody, 'model' | 'diarize' | 'keyterms'>

/** Options of {@link TranscribeInterceptor}; those of the upload itself are `UploadOptions` of `@svc-audio/upload`. */
export interface TranscribeInterceptorOptions
  extends TranscriptionFields, Omit<UploadOptions, 'maxFileSize' | 'signal'> {
  /** Name of the client, as given to `AudioModule.forRoot({ name })`. @default the client without a name */
  readonly client?: string
  /** Largest file, in bytes; exactly this size is accepted. @default 536870912 (512 MiB, the interface's limit) */
  readonly maxFileSize?: number
  /** Deadline for the whole call to the service, the upload included, in milliseconds. @default the client's */
  readonly timeout?: number
  /**
   * Fields that differ from request to request; they win over the fixed ones. Of the form, only fields sent before the
   * file are known here. Check what comes from the caller: models cost money.
   */
  readonly body?: (
    context: ExecutionContext,
    upload: IncomingUpload,
  ) => Partial<TranscriptionFields> | Promise<Partial<TranscriptionFields>>
}

/**
 * Makes an interceptor that transcribes the one file of a multipart form before the route runs, on Express and on
 * Fastify. The file flows straight to the service, whose work begins before the upload has ended: nothing of it is kept
 * in memory or on disk. When the client leaves, or an interceptor bound before gives up, the call to the service is
 * aborted.
 *
 * The route gets the outcome by the parameters `@Transcription()` and `@Upload()`. Failures go to the exception
 * filters, for which `AudioExceptionFilter` is made: `UploadError`, `ClientGoneError`, and the errors of the client. An
 * upload cannot be sent twice, so a failed call is not repeated.
 *
 * @throws RangeError when an option is out of range
 *
 * @example
 * @Post('transcribe')
 * @UseInterceptors(TranscribeInterceptor({ model: 'svc-transcribe-1.0' }))
 * transcribe(@Transcription() { text }: Transcription) {
 *   return text
 * }
 */
export function TranscribeInterceptor(options: TranscribeInterceptorOptions): Type<NestInterceptor> {
  const limits = { ...options, maxFileSize: options.maxFileSize ?? MAX_FILE_BYTES }
  assertUploadOptions(limits)

  class Interceptor implements NestInterceptor, OnModuleInit {
    readonly #client: AudioClient
    readonly #host: HttpAdapterHost

    constructor(
      @Inject(getAudioClientToken(options.client)) client: AudioClient,
      @Inject(HttpAdapterHost) host: HttpAdapterHost,
    ) {
      this.#client = client
      this.#host = host
    }

    onModuleInit(): void {
      acceptMultipart(this.#host)
    }

    intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
      return whileWanted((signal) => this.#transcribe(context, signal)).pipe(concatMap(() => next.handle()))
    }

    async #transcribe(context: ExecutionContext, unwanted: AbortSignal): Promise<void> {
      const signal = AbortSignal.any([unwanted, disconnectSignal(nativeResponse(context))])
      const upload = await receiveUpload(nativeRequest(context), { ...limits, signal })
      // After a failure, or an answer that came early, the rest of the upload is of no use.
      const transcription = await transcribe(this.#client, options, context, upload).finally(() => upload.dispose())
      keepTranscribed(context, { transcription, upload: await describeUpload(upload) })
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

async function transcribe(
  client: AudioClient,
  options: TranscribeInterceptorOptions,
  context: ExecutionContext,
  upload: IncomingUpload,
): Promise<Transcription> {
  const { model, diarize, keyterms, timeout } = options
  const body = {
    model,
    ...(diarize === undefined ? {} : { diarize }),
    ...(keyterms === undefined ? {} : { keyterms }),
    ...(await options.body?.(context, upload)),
    response_format: 'json' as const,
    file: {
      data: () => upload.stream,
      name: upload.filename,
      type: upload.sniffedType ?? upload.declaredType,
    },
  }
  return client.transcriptions.create(body, { signal: upload.signal, ...(timeout === undefined ? {} : { timeout }) })
}
