import { z } from 'zod'
import { requireModel } from '../domain/models.ts'
import { invalid } from '../domain/service-error.ts'
import type { WebhookPolicy } from '../domain/webhook-policy.ts'
import { checkTask, type TaskWish } from './task-rules.ts'

/** Fields of a transcription request, from JSON or from a form: the types only. Unknown ones are kept for the rules. */
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

/** A checked request for a transcription of an uploaded file. */
export interface TranscriptionOrder {
  readonly model: string
  readonly format: 'json' | 'text'
  /** Set when the answer is a task. */
  readonly task: TaskWish | undefined
}

/**
 * The rules of `POST /v1/audio/transcriptions`.
 * @param hasFile Whether a file was uploaded.
 * @throws ServiceError naming code and field
 */
export function checkTranscription(
  body: TranscriptionBody,
  hasFile: boolean,
  webhooks: WebhookPolicy,
): TranscriptionOrder {
  const model = requireModel(body.model, 'transcription')
  checkSource(body, hasFile)
  if (body.keyterms !== undefined && body.keyterms.length > 0) {
    throw invalid('unsupported_for_model', 'keyterms', `keyterms do not work with ${model.id}`)
  }
  if (body.diarize === true) throw invalid('unsupported_for_model', 'diarize', `${model.id} does not separate speakers`)
  if (body.stream === true) refuseWithStream(body)
  if (body.stream === true) throw invalid('unsupported_stream', 'stream', `${model.id} does not stream`)
  const task = checkTask(body, webhooks)
  const format = body.response_format ?? 'json'
  if (format !== 'json' && format !== 'text') {
    throw invalid('unsupported_response_format', 'response_format', 'response_format must be json or text')
  }
  return { model: model.id, format, task }
}

/** A stream is neither a task nor a text. */
function refuseWithStream(body: TranscriptionBody): void {
  const given = { async: body.async === true, webhook_url: (body.webhook_url ?? '') !== '' }
  for (const [field, is] of Object.entries({ ...given, response_format: body.response_format === 'text' })) {
    if (is) throw invalid('unsupported_with_stream', field, `${field} does not go with stream=true`)
  }
}

function checkSource(body: TranscriptionBody, hasFile: boolean): void {
  if (body['audio_data'] !== undefined) {
    throw invalid('unsupported_field', 'audio_data', 'audio_data is not supported: upload a file')
  }
  const named = (['file_id', 'url', 'audio_url'] as const).filter((field) => body[field] !== undefined)
  const sources = [...(hasFile ? ['file'] : []), ...named]
  const [first, second] = sources
  const sameUrl = sources.length === 2 && body.url !== undefined && body.url === body.audio_url
  if (second !== undefined && !sameUrl) {
    throw invalid('ambiguous_source', second, `${second} is given together with ${first}: send one source`)
  }
  if (first === undefined) throw invalid('missing_required_field', 'file', 'A file is required, as a multipart upload')
  if (first !== 'file') throw invalid('unsupported_field', first, `${first} is not taken here: upload the file itself`)
}
