import type { SpeechResult, TaskObject } from '@svc-audio/core'
import { audio, json } from '../answers/replies.ts'
import { type SpeechAudio, speechAudio } from '../audio/speech-audio.ts'
import type { HttpReply } from '../upstream/reply.ts'
import { type Fields, textField } from './fields.ts'
import { Refusal } from './refusal.ts'
import type { World } from './world.ts'

/**
 * The three outcomes that speech, dialogue and voice generation share: the audio, a URL of it, or a task.
 * @param modelId Stands in the creation result and in the task (interface: voice generation only).
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
    throw new Refusal(
      400,
      'unsupported_response_format',
      'response_format',
      `${format} is not a format of this upstream`,
    )
  }
  if (fields['async'] === true) return json(createTask(world, fields, object, format, made, modelId))
  if (fields['delivery_method'] !== 'url') return audio(made.bytes, made.contentType)
  const id = world.nextId('speech')
  world.results.keep(id, made)
  const result: SpeechResult = {
    id,
    object,
    status: 'SUCCESS',
    ...place(world, id, format, made),
    created_at: world.seconds(),
  }
  return json(result)
}

function createTask(
  world: World,
  fields: Fields,
  object: TaskObject,
  format: string,
  made: SpeechAudio,
  modelId: string | undefined,
): object {
  const webhookUrl = textField(fields, 'webhook_url', '')
  const id = world.nextId('result')
  world.results.keep(id, made)
  const model = modelId === undefined ? {} : { model_id: modelId }
  return world.tasks.create({
    object,
    result: () => ({ ...place(world, id, format, made), ...model }),
    ...(modelId === undefined ? {} : { modelId }),
    ...(webhookUrl === '' ? {} : { webhookUrl }),
  })
}

/** Where audio can be fetched, and what it is. */
function place(
  world: World,
  id: string,
  format: string,
  { contentType }: SpeechAudio,
): Pick<SpeechResult, 'url' | 'response_format' | 'content_type'> {
  return { url: world.results.url(id), response_format: format, content_type: contentType }
}
