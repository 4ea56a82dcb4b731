import { z } from 'zod'
import { DIARIZING_MODEL, type OfferedModel, requireModel } from '../../domain/models.ts'
import { invalid } from '../../domain/service-error.ts'
import type { AudioFetcher } from '../../ports/audio-fetcher.ts'
import type { Using } from '../../services.ts'
import { checkTask, type TaskWish } from '../tasks/accept.ts'
import type { NamedSource, TranscriptionWork } from './source.ts'

/**
 * Fields of a transcription request, from JSON or from a form: the types only. Unknown fields are stored for the
 * rules.
 */
export const TranscriptionBody = z.looseObject({
  model: z.string(),
  diarize: z.boolean().optional(),
  stream: z.boolean().optional(),
  response_format: z.string().optional(),
  keyterms: z.array(z.string()).optional(),
  async: z.boolean().optional(),
  webhook_url: z.string().optional(),
  file_id: z.string().optional(),
  url: z.string().optional(),
  audio_url: z.string().optional(),
})

/** A parsed {@link TranscriptionBody}. */
export type TranscriptionBody = z.infer<typeof TranscriptionBody>

/** A checked request for a transcription. */
export interface TranscriptionOrder {
  readonly model: string
  readonly work: TranscriptionWork
  readonly format: 'json' | 'text'
  /** `upload` for the file that came with the request. */
  readonly source: 'upload' | NamedSource
  readonly stream: boolean
  /** Present if the response is a task. */
  readonly task: TaskWish | undefined
}

/** Limits and policies of this service. */
export type TranscriptionLimits = Using<'settings.webhooks' | 'runtime.fetcher'>

/**
 * Maximum keyterms of a request. Each keyterm delays the start of the recognition a little, and makes false hits of it a
 * little more likely.
 */
export const MAX_KEYTERMS = 100

/** Longest keyterm, in characters. */
export const MAX_KEYTERM_CHARACTERS = 100

/** Maximum words of a keyterm. A hundred terms of fifty words took half a minute to prepare. */
export const MAX_KEYTERM_WORDS = 10

/**
 * Checks the fields of `POST /v1/audio/transcriptions`.
 * @param hasFile Whether a file was uploaded.
 * @throws ServiceError naming code and field
 */
export function checkTranscription(
  body: TranscriptionBody,
  hasFile: boolean,
  { settings: { webhooks }, runtime: { fetcher } }: TranscriptionLimits,
): TranscriptionOrder {
  const model = requireModel(body.model, 'transcription')
  const diarizes = model.id === DIARIZING_MODEL
  const source = checkSource(body, hasFile, fetcher)
  const keyterms = checkKeyterms(body.keyterms ?? [], model)
  if (body.diarize === true && !diarizes) {
    throw invalid('unsupported_for_model', 'diarize', `${model.id} does not separate speakers: use ${DIARIZING_MODEL}`)
  }
  const stream = body.stream === true
  if (stream) refuseWithStream(body)
  if (stream && !diarizes) {
    throw invalid('unsupported_stream', 'stream', `${model.id} does not stream: use ${DIARIZING_MODEL}`)
  }
  const task = checkTask(body, webhooks)
  const format = body.response_format ?? 'json'
  if (format !== 'json' && format !== 'text') {
    throw invalid('unsupported_response_format', 'response_format', 'response_format must be json or text')
  }
  const diarize = body.diarize ?? diarizes
  return { model: model.id, work: { diarize, keyterms }, format, source, stream, task }
}

/** Removes blank and repeated terms, and checks the others. */
function checkKeyterms(given: readonly string[], model: OfferedModel): string[] {
  if (given.length > 0 && model.id !== DIARIZING_MODEL) {
    throw invalid('unsupported_for_model', 'keyterms', `keyterms do not work with ${model.id}: use ${DIARIZING_MODEL}`)
  }
  const keyterms = new Set(given.map((term) => term.trim()).filter((term) => term !== ''))
  if (keyterms.size > MAX_KEYTERMS) {
    throw invalid(
      'invalid_range',
      'keyterms',
      `keyterms must have at most ${MAX_KEYTERMS} entries, got ${keyterms.size}`,
    )
  }
  for (const term of keyterms) {
    if (term.length > MAX_KEYTERM_CHARACTERS) {
      throw invalid('invalid_range', 'keyterms', `A keyterm must have at most ${MAX_KEYTERM_CHARACTERS} characters`)
    }
    if (term.split(/\s+/).length > MAX_KEYTERM_WORDS) {
      throw invalid('invalid_range', 'keyterms', `A keyterm must have at most ${MAX_KEYTERM_WORDS} words`)
    }
  }
  return [...keyterms]
}

/** Refuses a stream that is also a task or a text. */
function refuseWithStream(body: TranscriptionBody): void {
  const given = { async: body.async === true, webhook_url: (body.webhook_url ?? '') !== '' }
  for (const [field, is] of Object.entries({ ...given, response_format: body.response_format === 'text' })) {
    if (is) throw invalid('unsupported_with_stream', field, `${field} cannot be combined with stream=true`)
  }
}

function checkSource(
  body: TranscriptionBody,
  hasFile: boolean,
  fetcher: Pick<AudioFetcher, 'check'>,
): 'upload' | NamedSource {
  if (body['audio_data'] !== undefined) {
    throw invalid('unsupported_field', 'audio_data', 'audio_data is not supported: upload a file')
  }
  const named = (['file_id', 'url', 'audio_url'] as const).filter((field) => body[field] !== undefined)
  const sources = [...(hasFile ? ['file'] : []), ...named]
  const [first, second] = sources
  const sameUrl = sources.length === 2 && body.url !== undefined && body.url === body.audio_url
  if (second !== undefined && !sameUrl) {
    throw invalid('ambiguous_source', second, `Send one source: either ${first} or ${second}`)
  }
  if (hasFile) return 'upload'
  if (body.file_id !== undefined) return { kind: 'file', id: body.file_id }
  const param = body.url === undefined ? 'audio_url' : 'url'
  const url = body.url ?? body.audio_url
  if (url === undefined) {
    throw invalid('missing_required_field', 'file', 'Send one source: file, file_id, url or audio_url')
  }
  fetcher.check(url, param)
  return { kind: 'url', url, param }
}
