import { checkOutcome, checkPauses, type Outcome } from './common.ts'
import { optionalText, refuseFields, requireText } from './fields.ts'
import { requireModel } from './models.ts'

/**
 * The rules of `POST /v1/audio/voice/generations`.
 * @throws InvalidRequestError naming the field
 */
export function checkVoiceGeneration(body: object, outcome: Outcome): void {
  const model = requireModel(body, 'svc-voice-generator-', 'voice generation')
  const methods = 'is set by the method: use voiceGenerations.create() or voiceGenerations.createUrl()'
  refuseFields(body, { delivery_method: methods })
  checkOutcome(body, outcome, 'voiceGenerations')
  checkPauses(model, requireText(body, 'input'), 'input')
  requireText(body, 'instruction')
  optionalText(body, 'response_format')
}
