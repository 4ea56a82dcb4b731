import { InvalidRequestError } from '../errors/invalid-request-error.ts'
import { isKnownModel } from '../wire/models.ts'
import { checkOutcome, type Outcome } from './common.ts'
import { refuseFields, requireOneOf, requireText } from './fields.ts'
import { requireModel } from './models.ts'
import { checkPublicUrl } from './public-url.ts'

const SOURCES = ['file', 'file_id', 'url', 'audio_url'] as const
const STANDARD_MODEL = 'svc-transcribe-1.0'
const DIARIZING_MODEL = 'svc-transcribe-diarize-pro'

/**
 * The rules of `POST /v1/audio/transcriptions`.
 * @throws InvalidRequestError naming the field
 */
export function checkTranscription(body: object, outcome: Outcome | 'stream'): void {
  const model = requireModel(body, 'svc-transcribe-', 'transcription')
  refuseFields(body, { audio_data: 'is not supported: pass the bytes as file' })
  if (outcome === 'stream') checkStream(body, model)
  else {
    refuseFields(body, { stream: 'is set by the method: use transcriptions.stream()' })
    checkOutcome(body, outcome, 'transcriptions')
  }
  checkSource(body)
  requireOneOf(body, 'response_format', ['json', 'text'])
  requireOneOf(body, 'diarize', [true, false], 'invalid_type')
  checkKeyterms(body, model)
}

/** Events come from the multi-speaker model alone, and from no task (interface: `stream`). */
function checkStream(body: object, model: string): void {
  refuseFields(body, {
    async: 'cannot be combined with a stream: use transcriptions.createTask()',
    webhook_url: 'is called for tasks only: use transcriptions.createTask()',
  })
  requireOneOf(body, 'stream', [true])
  if (isKnownModel(model) && model !== DIARIZING_MODEL) {
    throw new InvalidRequestError('unsupported_stream', 'stream', `${model} does not stream: use ${DIARIZING_MODEL}`)
  }
  if (Reflect.get(body, 'response_format') === 'text') {
    throw new InvalidRequestError('unsupported_with_stream', 'response_format', 'a stream has events: leave it out')
  }
}

/** Which of several sources would count is not documented, so exactly one is sent. */
function checkSource(body: object): void {
  const [first, second] = SOURCES.filter((source) => Reflect.get(body, source) !== undefined)
  if (first === undefined) {
    throw new InvalidRequestError(
      'missing_required_field',
      'file',
      'one of file, file_id, url or audio_url is required',
    )
  }
  if (second !== undefined) {
    throw new InvalidRequestError('ambiguous_source', second, `is given together with ${first}: pass one source`)
  }
  if (first === 'file') return
  const value = requireText(body, first)
  if (first !== 'file_id') checkPublicUrl(value, first)
}

/** Interface: transcription parameter errors. */
function checkKeyterms(body: object, model: string): void {
  const keyterms: unknown = Reflect.get(body, 'keyterms')
  if (keyterms === undefined) return
  if (!Array.isArray(keyterms)) throw new InvalidRequestError('invalid_type', 'keyterms', 'must be an array of strings')
  if (!keyterms.every((term) => typeof term === 'string')) {
    throw new InvalidRequestError('invalid_type', 'keyterms', 'must hold strings only')
  }
  if (model === STANDARD_MODEL && keyterms.length > 0) {
    throw new InvalidRequestError('unsupported_for_model', 'keyterms', `does not work with ${STANDARD_MODEL}`)
  }
}
