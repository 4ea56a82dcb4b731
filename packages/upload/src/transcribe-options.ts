import { isKnownModel } from '@svc-audio/core/interface'
import type { PureAudioClient, TranscriptionCreateBody } from '@svc-audio/core'
import { checkOptions, type OptionRule, type OptionRules } from './check-options.ts'
import { callback, fields, flag, optional, perRequest, text, texts } from './option-rules.ts'
import type { UploadValues } from './field-values.ts'
import { type PerRequest, resultCheck, valueFor } from './per-request.ts'
import type { Remedies } from './remedies.ts'
import {
  STREAM_UPLOAD_RULES,
  type StreamedUpload,
  type StreamUploadContext,
  type StreamUploadOptions,
} from './stream-upload.ts'
import type { StandardModel } from './transcribe-respond.ts'

/** Transcription fields that an application sets, by their names on the wire. */
export type TranscriptionFields = Pick<TranscriptionCreateBody, 'model' | 'diarize' | 'keyterms'>

/**
 * Options of `transcribeRequest` and its siblings. Those of the upload are {@link StreamUploadOptions}. `Model` is the model
 * if the code names it.
 */
export interface TranscribeOptions<
  Context = unknown,
  Values = UploadValues,
  Model extends string = string,
> extends StreamUploadOptions<Context, Values> {
  /** @default 'svc-transcribe-diarize-pro' for events, `diarize` and `keyterms`, which need it; else 'svc-transcribe-1.0' */
  readonly model?: PerRequest<Model | undefined, Context>
  /** Whether speakers are separated, by the multi-speaker model only. @default the service's */
  readonly diarize?: [Model] extends [StandardModel]
    ? false | Remedies['model']
    : PerRequest<boolean | undefined, Context>
  /** Terms that improve recognition, for the multi-speaker model only. @default none */
  readonly keyterms?: [Model] extends [StandardModel]
    ? Remedies['model']
    : PerRequest<readonly string[] | undefined, Context>
  /**
   * Fields that depend on the upload. They replace the ones above. Only form fields before the file are available.
   * Validate the caller's choices: models are billable.
   */
  readonly body?: (
    context: Context,
    upload: StreamedUpload<Values>,
  ) => Partial<TranscriptionFields> | Promise<Partial<TranscriptionFields>> | undefined
}

/** Context of one request. */
export interface TranscribeContext<Context = unknown> extends StreamUploadContext<Context> {
  /** The client of this request. */
  readonly client: PureAudioClient
}

/** Kind of answer: text, events, or a task. */
export type TranscribeOutcome = 'json' | 'sse' | 'task'

const STANDARD_MODEL = 'svc-transcribe-1.0'
const DIARIZING_MODEL = 'svc-transcribe-diarize-pro'

const model: OptionRule = (value) => {
  if (isKnownModel(value) && !value.startsWith('svc-transcribe-')) {
    return `must be a transcription model, such as ${STANDARD_MODEL}`
  }
  return text(value)
}

/** Requirement of options that the standard model does not support. */
const otherModel: OptionRule = () => `needs the model ${DIARIZING_MODEL}`

/** The rules of {@link TranscribeOptions}, for the options of functions built on it. */
export const TRANSCRIBE_RULES: OptionRules = {
  ...STREAM_UPLOAD_RULES,
  model: optional(perRequest(model)),
  diarize: optional(perRequest(flag)),
  keyterms: optional(perRequest(texts)),
  body: optional(callback),
}

const BODY_RULES: OptionRules = {
  body: optional(fields({ model: optional(model), diarize: optional(flag), keyterms: optional(texts) })),
}

/** Checks the fields that `body` returns. It throws ConfigurationError naming the field. */
export const checkBody: (result: unknown) => void = resultCheck('body', BODY_RULES)

/** Options with any type of values: the check does not depend on it. */
export type UncheckedTranscribeOptions = Omit<TranscribeOptions<never>, 'fields' | 'body'> & {
  /** Check of the text fields. */
  readonly fields?: unknown
  /** Fields that depend on the upload. */
  readonly body?: unknown
  /** Kind of the response. */
  readonly respond?: string | undefined
}

/**
 * Checks options when they are given, the combinations of the interface too.
 *
 * @param caller The function that got them, for messages.
 * @param rules Rules of its further options.
 * @throws ConfigurationError naming the option
 */
export function assertTranscribeOptions(
  options: UncheckedTranscribeOptions,
  caller = 'transcribeRequest',
  rules: OptionRules = {},
): void {
  checkOptions(caller, options, { ...TRANSCRIBE_RULES, ...rules })
  // A function of the upload may choose another model.
  if (options.model !== STANDARD_MODEL || options.body !== undefined) return
  const { respond, diarize, keyterms } = options
  const wrong = {
    keyterms: Array.isArray(keyterms) && keyterms.length > 0,
    diarize: diarize === true,
    respond: respond === 'sse',
  }
  for (const [name, isWrong] of Object.entries(wrong)) {
    if (isWrong) checkOptions(caller, { [name]: Reflect.get(options, name) }, { [name]: otherModel })
  }
}

/** The fields of a transcription that are known before its upload. */
export async function fieldsFor<Context>(
  options: Pick<TranscribeOptions<Context>, 'model' | 'diarize' | 'keyterms'>,
  context: Context,
  outcome: TranscribeOutcome,
): Promise<TranscriptionFields> {
  const [chosen, diarize, keyterms] = await Promise.all([
    valueFor(options.model, context, resultCheck('model', TRANSCRIBE_RULES)),
    valueFor(options.diarize, context, resultCheck('diarize', TRANSCRIBE_RULES)),
    valueFor(options.keyterms, context, resultCheck('keyterms', TRANSCRIBE_RULES)),
  ])
  const needsMore = outcome === 'sse' || diarize === true || (keyterms?.length ?? 0) > 0
  return {
    model: chosen ?? (needsMore ? DIARIZING_MODEL : STANDARD_MODEL),
    ...(diarize === undefined ? {} : { diarize }),
    ...(keyterms === undefined ? {} : { keyterms }),
  }
}
