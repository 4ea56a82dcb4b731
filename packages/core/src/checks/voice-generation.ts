import { input, modelOf, type Outcome, audioRules } from './common.ts'
import { check, type Rules, text } from './rules.ts'

/** Made once: short requests come in great numbers. */
const RULES: Readonly<Record<Outcome, Rules>> = { answer: rulesOf('answer'), task: rulesOf('task') }

/**
 * The rules of `POST /v1/audio/voice/generations`.
 * @throws InvalidRequestError naming the field
 */
export function checkVoiceGeneration(body: object, outcome: Outcome): void {
  check(body, RULES[outcome])
}

function rulesOf(outcome: Outcome): Rules {
  return {
    model: modelOf('svc-voice-generator-'),
    ...audioRules(outcome, 'voiceGenerations'),
    input,
    instruction: text,
  }
}
