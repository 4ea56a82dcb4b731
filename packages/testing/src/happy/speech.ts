import type { SpeechResult, TaskCreation } from '@svc-audio/core'
import type { SpeechStreamEvent, TaskObject } from '@svc-audio/core/interface'
import { PCM_FORMAT, speechAudio, tone } from '../audio/speech-audio.ts'
import { audioBytes, events, type HttpReply, json } from '../upstream/reply.ts'
import { type Fields, type HappyResponse, readFields, Refusal, requireList, requireTexts, textField } from './fields.ts'
import type { World } from './world.ts'

/** `POST /v1/audio/speech` */
export const speech: HappyResponse = ({ world, request }) => {
  const fields = readFields(request)
  requireTexts(fields, 'model', 'input')
  if (fields['stream'] === true) return speechStreamReply(world, fields)
  requireTexts(fields, 'voice_id')
  return spokenReply(world, fields, 'audio.speech')
}

/** `POST /v1/audio/speech/speakers` */
export const dialogue: HappyResponse = ({ world, request }) => {
  const fields = readFields(request)
  requireTexts(fields, 'model')
  requireList(fields, 'speakers')
  requireList(fields, 'segments')
  checkSpeakers(fields)
  return spokenReply(world, fields, 'audio.speech')
}

/** `POST /v1/audio/voice/generations` */
export const voiceGeneration: HappyResponse = ({ world, request }) => {
  const fields = readFields(request)
  requireTexts(fields, 'model', 'input', 'instruction')
  return spokenReply(world, fields, 'audio.voice_generation', textField(fields, 'model', ''))
}

/** Interface: `segments[].speaker` must equal one of `speakers[].id`. */
function checkSpeakers({ speakers, segments }: Fields): void {
  const ids = new Set(column(speakers, 'id'))
  const unknown = column(segments, 'speaker').findIndex((speaker) => !ids.has(speaker))
  if (unknown === -1) return
  throw new Refusal(400, 'unknown_speaker', `segments[${unknown}].speaker`, 'must be the id of one of speakers')
}

function column(rows: unknown, name: string): unknown[] {
  if (!Array.isArray(rows)) return []
  return rows.map((row: unknown) => (typeof row === 'object' && row !== null ? Reflect.get(row, name) : undefined))
}

/** Streaming speech, as events or as raw PCM (interface: `stream=true`). */
function speechStreamReply(world: World, fields: Fields): HttpReply {
  checkStream(fields)
  const { speechSeconds, chunkBytes } = world.options
  const chunks = split(tone(speechSeconds), chunkBytes)
  if (fields['stream_format'] === 'sse') return events(speechEvents(world, fields, chunks))
  const { sampleRate, channels, bitDepth } = PCM_FORMAT
  const headers = {
    'content-type': 'audio/pcm',
    'x-sample-rate': String(sampleRate),
    'x-channels': String(channels),
    'x-bit-depth': String(bitDepth),
  }
  return { headers, body: chunks }
}

/** Interface: Streaming speech parameter errors. */
function checkStream(fields: Fields): void {
  const {
    response_format,
    stream_format = 'audio',
    sample_rate = 0,
    speed = 1,
    async: later,
    webhook_url = '',
  } = fields
  if (response_format !== 'pcm') refuse('unsupported_response_format', 'response_format', 'must be pcm')
  if (stream_format !== 'audio' && stream_format !== 'sse') refuse('unsupported_stream', 'stream', 'audio or sse')
  if (fields['model'] !== 'svc-tts-1.5-flash') refuse('unsupported_stream', 'stream', 'The model does not stream')
  if (sample_rate !== 0) refuse('unsupported_for_stream', 'sample_rate', 'is not a public field')
  if (typeof speed !== 'number' || speed < 0.25 || speed > 4) refuse('invalid_range', 'speed', 'must be 0.25 to 4')
  if (later === true) refuse('unsupported_with_async', 'stream', 'cannot be combined with async')
  if (webhook_url !== '') refuse('unsupported_with_webhook', 'stream', 'cannot be combined with webhook_url')
}

function refuse(code: string, param: string, message: string): never {
  throw new Refusal(400, code, param, message)
}

function speechEvents(world: World, fields: Fields, chunks: readonly Uint8Array[]): SpeechStreamEvent[] {
  const { sampleRate, channels, bitDepth } = PCM_FORMAT
  const list: SpeechStreamEvent[] = [
    { type: 'speech.created', format: 'pcm', sample_rate: sampleRate, channels, bit_depth: bitDepth },
    ...chunks.map((chunk): SpeechStreamEvent => {
      return { type: 'speech.audio.delta', audio: Buffer.from(chunk).toString('base64') }
    }),
    { type: 'speech.audio.done' },
  ]
  if (!world.options.taskCreated) return list
  const { task_id } = world.tasks.create({ object: 'audio.speech', status: 'PROCESSING', result: () => ({}) })
  const model = textField(fields, 'model', '')
  return [{ type: 'task.created', task_id, object: 'audio.speech', status: 'PROCESSING', model }, ...list]
}

function split(bytes: Buffer, size: number): Uint8Array[] {
  return Array.from({ length: Math.ceil(bytes.byteLength / size) }, (_, at) =>
    bytes.subarray(at * size, (at + 1) * size),
  )
}

/**
 * The three outcomes of speech, dialogue and voice generation: the audio, its URL, or a task.
 * @param modelId Appears in the creation result and in the task (interface: voice generation only).
 */
function spokenReply(
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
