import { InvalidRequestError } from '../errors/invalid-request-error.ts'
import { isKnownModel } from '../wire/models.ts'
import { refuseFields, requireOneOf, requireText } from './fields.ts'

const SOURCES = ['file', 'file_id', 'url', 'audio_url'] as const
const STANDARD_MODEL = 'svc-transcribe-1.0'

/**
 * The rules of `POST /v1/audio/transcriptions` for one answer.
 * @throws InvalidRequestError naming the field
 */
export function checkTranscription(body: object): void {
  const model = requireText(body, 'model')
  refuseFields(body, {
    audio_data: 'is not supported: pass the bytes as file',
    stream: 'is not taken here: this call waits for the whole text',
    async: 'is not taken here: this call waits for the whole text',
    webhook_url: 'is called for asynchronous tasks only: leave it out',
  })
  if (isKnownModel(model) && !model.startsWith('svc-transcribe-')) {
    throw new InvalidRequestError('unsupported_for_model', 'model', `${model} is not a transcription model`)
  }
  checkSource(body)
  requireOneOf(body, 'response_format', ['json', 'text'])
  requireOneOf(body, 'diarize', [true, false], 'invalid_type')
  checkKeyterms(body, model)
}

/** Which of several sources would count is not documented, so exactly one is sent. */
function checkSource(body: object): void {
  const given = SOURCES.filter((source) => Reflect.get(body, source) !== undefined)
  const [first, second] = given
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
  if (first !== 'file') requireText(body, first)
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
