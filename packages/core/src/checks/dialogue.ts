import { InvalidRequestError } from '../errors/invalid-request-error.ts'
import { checkAigcMetadata, checkOutcome, checkPauses, OTHER_VOICES, type Outcome } from './common.ts'
import { optionalText, refuseFields, requireList } from './fields.ts'
import { requireModel } from './models.ts'

/**
 * The rules of `POST /v1/audio/speech/speakers`.
 * @throws InvalidRequestError naming the field, e.g. `segments[2].speaker`
 */
export function checkDialogue(body: object, outcome: Outcome): void {
  const model = requireModel(body, 'svc-ttsd-', 'multi-speaker speech')
  refuseFields(body, { delivery_method: 'is set by the method: use dialogue.create() or dialogue.createUrl()' })
  checkOutcome(body, outcome, 'dialogue')
  const ids = new Set<string>()
  for (const [index, speaker] of requireList(body, 'speakers').entries()) {
    refuseFields(speaker, OTHER_VOICES)
    const id = textAt('speakers', index, speaker, 'id')
    textAt('speakers', index, speaker, 'voice_id')
    if (ids.has(id)) throw new InvalidRequestError('duplicate_speaker', `speakers[${index}].id`, `${id} is there twice`)
    ids.add(id)
  }
  for (const [index, segment] of requireList(body, 'segments').entries()) {
    const speaker = textAt('segments', index, segment, 'speaker')
    if (!ids.has(speaker)) {
      throw new InvalidRequestError('unknown_speaker', `segments[${index}].speaker`, `${speaker} is no speakers[].id`)
    }
    checkPauses(model, textAt('segments', index, segment, 'text'), `segments[${index}].text`)
  }
  optionalText(body, 'response_format')
  checkAigcMetadata(body)
}

function textAt(list: string, index: number, item: object, field: string): string {
  const value: unknown = Reflect.get(item, field)
  if (typeof value === 'string' && value.trim() !== '') return value
  throw new InvalidRequestError('missing_required_field', `${list}[${index}].${field}`, 'must be a non-empty string')
}
