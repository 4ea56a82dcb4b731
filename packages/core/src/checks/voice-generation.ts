import { input, modelOf, type Outcome, outcomeRules } from './common.ts'
import { check, optionalText, refused, text } from './rules.ts'

/**
 * The rules of `POST /v1/audio/voice/generations`.
 * @throws InvalidRequestError naming the field
 */
export function checkVoiceGeneration(body: object, outcome: Outcome): void {
  check(body, {
    model: modelOf('svc-voice-generator-', 'voice generation'),
    delivery_method: refused('is set by the method: use voiceGenerations.create() or voiceGenerations.createUrl()'),
    ...outcomeRules(outcome, 'voiceGenerations'),
    input,
    instruction: text,
    response_format: optionalText,
  })
}
