import { input, modelOf, type Outcome, audioRules } from './common.ts'
import { check, text } from './rules.ts'

/**
 * The rules of `POST /v1/audio/voice/generations`.
 * @throws InvalidRequestError naming the field
 */
export function checkVoiceGeneration(body: object, outcome: Outcome): void {
  check(body, {
    model: modelOf('svc-voice-generator-'),
    ...audioRules(outcome, 'voiceGenerations'),
    input,
    instruction: text,
  })
}
