import { createParamDecorator, type ExecutionContext } from '@nestjs/common'
import {
  ConfigurationError,
  type DiarizedTranscription,
  type TaskHandle,
  type Transcription as Standard,
  type TranscriptionStream as Stream,
  type TranscriptionTask as Task,
} from '@svc-audio/core'
import { disconnectSignal, type ReceivedUpload } from '@svc-audio/upload'
import { assertHttp, nativeRequest, nativeResponse } from './platform.ts'

/** The outcome of an upload interceptor. */
export interface RequestOutcome {
  readonly transcription?: Transcription
  readonly stream?: Stream
  readonly task?: TaskHandle<Task>
  readonly result?: unknown
  readonly upload?: ReceivedUpload<unknown>
}

/** Outcomes by Node's request, because the platforms wrap it. Two copies of this package share them by the symbol. */
const OUTCOME = Symbol.for('svc-audio.request-outcome')

/** Stores the outcome for the parameters of the route. */
export function storeOutcome(context: ExecutionContext, outcome: RequestOutcome): void {
  Object.defineProperty(nativeRequest(context), OUTCOME, { value: outcome, configurable: true })
}

/** A parameter decorator for one part of the outcome. @param remedy What the route lacks if that is not there. */
function parameter(part: keyof RequestOutcome, name: string, remedy: string): () => ParameterDecorator {
  return createParamDecorator((_data: unknown, context) => {
    assertHttp(context, `@${name}()`)
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only storeOutcome sets it
    const outcome = Reflect.get(nativeRequest(context), OUTCOME) as RequestOutcome | undefined
    if (outcome !== undefined && part in outcome) return outcome[part]
    throw new ConfigurationError(`@${name}() has no value: bind ${remedy} to the route`)
  })
}

/** The text of the uploaded audio. A diarized transcription has `segments`: `DiarizedTranscription` of the core. */
export type Transcription = Standard | DiarizedTranscription

/**
 * A parameter: the transcription of the upload. Throws ConfigurationError if the route has no `TranscribeUploadInterceptor`.
 *
 * @example
 * transcribe(@Transcription() { text }: Transcription) {}
 */
export const Transcription: () => ParameterDecorator = parameter(
  'transcription',
  'Transcription',
  'TranscribeUploadInterceptor({ ... })',
)

/** The events of a transcription: `TranscriptionStream` of the core. */
export type TranscriptionStream = Stream

/**
 * A parameter: the events of the transcription while the service recognizes the upload. Return them from an `@Sse()`
 * route. Throws ConfigurationError if the route has no `TranscribeUploadInterceptor({ respond: 'sse' })`.
 *
 * @example
 * @Sse('transcribe/live', { method: RequestMethod.POST })
 * @UseInterceptors(TranscribeUploadInterceptor({ respond: 'sse' }))
 * live(@TranscriptionStream() events: TranscriptionStream) {
 *   return from(events).pipe(map((data) => ({ data })))
 * }
 */
export const TranscriptionStream: () => ParameterDecorator = parameter(
  'stream',
  'TranscriptionStream',
  "TranscribeUploadInterceptor({ respond: 'sse' })",
)

/** A task that transcribes the upload: `TaskHandle<TranscriptionTask>` of the core. */
export type TranscriptionTask = TaskHandle<Task>

/**
 * A parameter: the new task that transcribes the upload. Throws ConfigurationError if the route has no
 * `TranscribeUploadInterceptor({ respond: 'task' })`.
 */
export const TranscriptionTask: () => ParameterDecorator = parameter(
  'task',
  'TranscriptionTask',
  "TranscribeUploadInterceptor({ respond: 'task' })",
)

/** A parameter: the result of `call` of the `ForwardUploadInterceptor`. Throws ConfigurationError if the route has none. */
export const UploadResult: () => ParameterDecorator = parameter(
  'result',
  'UploadResult',
  'ForwardUploadInterceptor({ call })',
)

/** Name, types, size and form fields of the upload: {@link ReceivedUpload}. */
export type Upload = ReceivedUpload

/**
 * A parameter: name, types, size and form fields of the upload, as {@link ReceivedUpload}. With `respond: 'sse'` it
 * is not available, because the upload continues. Throws ConfigurationError if the route has no upload interceptor.
 */
export const Upload: () => ParameterDecorator = parameter('upload', 'Upload', 'TranscribeUploadInterceptor({ ... })')

/**
 * A parameter: an `AbortSignal` that aborts when the client disconnects before it has the whole response. Pass it to calls
 * whose result only this client needs. On a message handler, a gateway or a resolver it fails with a ConfigurationError.
 *
 * @example
 * speak(@Query('text') input: string, @DisconnectSignal() signal: AbortSignal) {
 *   return speechFile(() => this.audio.speech.create({ model, input, voice_id }, { signal }))
 * }
 */
export const DisconnectSignal: () => ParameterDecorator = createParamDecorator((_data: unknown, context) => {
  assertHttp(context, '@DisconnectSignal()')
  return disconnectSignal(nativeResponse(context))
})
