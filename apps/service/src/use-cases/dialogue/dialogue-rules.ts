import type { AigcMarking } from '@svc-audio/core/audio'
import { type AudioFormat, type EngineVoice } from '@svc-audio/engine-ports'
import { requireFormat } from '../../domain/formats.ts'
import { requireModel } from '../../domain/models.ts'
import { invalid } from '../../domain/service-error.ts'
import type { WebhookPolicy } from '../../domain/url-policies.ts'
import type { DialogueBody } from './dialogue-body.ts'
import { hasPauseMarkers, refuseSsml } from '../speech/input-markup.ts'
import { refuseForeignVoices, requireDelivery, requireVoice } from '../speech/speech-rules.ts'
import { checkTask, type TaskWish } from '../tasks/task-rules.ts'

/** Maximum speakers of a dialogue. */
const MAX_SPEAKERS = 1000

/** One line of a dialogue. */
export interface DialogueLine {
  readonly speaker: string
  readonly voiceId: string
  readonly text: string
}

/** A checked request for a dialogue. */
export interface DialogueOrder {
  readonly model: string
  /** At least one. */
  readonly lines: readonly DialogueLine[]
  readonly format: AudioFormat
  readonly delivery: 'audio' | 'url'
  readonly aigc: AigcMarking | undefined
  /** Present if the response is a task. */
  readonly task: TaskWish | undefined
}

/** Limits and voices of this service. */
export interface DialogueLimits {
  readonly voices: readonly EngineVoice[]
  /** Limit of all lines together. */
  readonly maxInputCharacters: number
  readonly webhooks: WebhookPolicy
}

/**
 * Checks the body of `POST /v1/audio/speech/speakers` (interface: multi-speaker).
 * @throws ServiceError with code and field, e.g. `segments[2].speaker`
 */
export function checkDialogue(body: DialogueBody, limits: DialogueLimits): DialogueOrder {
  requireModel(body.model, 'dialogue')
  refuseForeignVoices(body)
  const task = checkTask(body, limits.webhooks)
  const voiceIds = checkSpeakers(body, limits.voices)
  return {
    model: body.model,
    lines: checkSegments(body, voiceIds, limits.maxInputCharacters),
    format: requireFormat(body.response_format),
    delivery: requireDelivery(body.delivery_method),
    aigc: body.aigc_metadata,
    task,
  }
}

/** @returns Voice ids by speaker. */
function checkSpeakers({ speakers }: DialogueBody, voices: readonly EngineVoice[]): ReadonlyMap<string, string> {
  if (speakers.length === 0)
    throw invalid('missing_required_field', 'speakers', 'speakers must have at least one entry')
  if (speakers.length > MAX_SPEAKERS) {
    throw invalid('invalid_range', 'speakers', `speakers must have at most ${MAX_SPEAKERS} entries`)
  }
  const known = new Map(voices.map((voice) => [voice.id, voice]))
  const voiceIds = new Map<string, string>()
  for (const [index, speaker] of speakers.entries()) {
    refuseForeignVoices(speaker)
    const id = requireText(speaker.id, `speakers[${index}].id`)
    const voice = known.get(speaker.voice_id ?? '')
    const voiceId = requireVoice(speaker.voice_id, voice === undefined ? [] : [voice], `speakers[${index}].voice_id`)
    if (voiceIds.has(id)) throw invalid('duplicate_speaker', `speakers[${index}].id`, 'speakers[].id must be unique')
    voiceIds.set(id, voiceId)
  }
  return voiceIds
}

function checkSegments(
  { model, segments }: DialogueBody,
  voiceIds: ReadonlyMap<string, string>,
  maxCharacters: number,
): DialogueLine[] {
  if (segments.length === 0)
    throw invalid('missing_required_field', 'segments', 'segments must have at least one entry')
  let characters = 0
  return segments.map((segment, index) => {
    const text = requireText(segment.text, `segments[${index}].text`)
    const speaker = requireText(segment.speaker, `segments[${index}].speaker`)
    const voiceId = voiceIds.get(speaker)
    if (voiceId === undefined) {
      throw invalid('unknown_speaker', `segments[${index}].speaker`, 'segments[].speaker must be one of speakers[].id')
    }
    refuseSsml(text, `segments[${index}].text`)
    if (hasPauseMarkers(text)) {
      throw invalid('unsupported_for_model', `segments[${index}].text`, `${model} does not support pause markers`)
    }
    characters += text.length
    if (characters > maxCharacters) {
      throw invalid('input_too_long', 'segments', `All lines together must have at most ${maxCharacters} characters`)
    }
    return { speaker, voiceId, text }
  })
}

function requireText(value: string | undefined, param: string): string {
  if (value !== undefined && value.trim() !== '') return value
  throw invalid('missing_required_field', param, `${param} is required and must not be empty`)
}
