import type { SpeechResult, TaskCreation } from '@svc-audio/core'
import type { TaskObject } from '@svc-audio/core/interface'
import { audioBytes, json } from '../upstream/replies.ts'
import { speechAudio } from '../audio/speech-audio.ts'
import type { HttpReply } from '../upstream/reply.ts'
import { type Fields, textField } from './fields.ts'
import { Refusal } from './refusal.ts'
import type { World } from './world.ts'

/**
 * The three outcomes of speech, dialogue and voice generation: the audio, its URL, or a task.
 * @param modelId Appears in the creation result and in the task (interface: voice generation only).
 */
export function spokenReply(
  world: World,
  fields: Fields,
  object: Exclude<TaskObject, 'audio.transcription'>,
  modelId?: string,
): HttpReply {
  const format = textField(fields, 'response_format', 'mp3')
  const made = speechAudio(format, world.options.speechSeconds)
  if (made === undefined) {
    const message = `${format} is not a format of this upstream`
    throw new Refusal(400, 'unsupported_response_format', 'response_format', message)
  }
  const later = fields['async'] === true
  if (!later && fields['delivery_method'] !== 'url') return audioBytes(made.bytes, made.contentType)
  const id = world.nextId('speech')
  world.results.keep(id, made)
  const place = (): Pick<SpeechResult, 'url' | 'response_format' | 'content_type'> => {
    return { url: world.results.url(id), response_format: format, content_type: made.contentType }
  }
  if (later) return json(createTask(world, fields, { object, place, modelId }))
  const result: SpeechResult = { id, object, status: 'SUCCESS', ...place(), created_at: world.seconds() }
  return json(result)
}

function createTask(
  world: World,
  fields: Fields,
  { object, place, modelId }: { object: TaskObject; place: () => object; modelId: string | undefined },
): TaskCreation {
  const webhookUrl = textField(fields, 'webhook_url', '')
  const model = modelId === undefined ? {} : { model_id: modelId }
  return world.tasks.create({
    object,
    result: () => ({ ...place(), ...model }),
    ...(modelId === undefined ? {} : { modelId }),
    ...(webhookUrl === '' ? {} : { webhookUrl }),
  })
}
