import type { SpeechStreamEvent } from '@svc-audio/core/interface'
import { events } from '../upstream/replies.ts'
import { tone } from '../audio/tone.ts'
import { PCM_FORMAT } from '../audio/wav.ts'
import type { HttpReply } from '../upstream/reply.ts'
import { type Fields, textField } from './fields.ts'
import { Refusal } from './refusal.ts'
import type { World } from './world.ts'

/** Streaming speech, as events or as raw PCM (interface: `stream=true`). */
export function speechStreamReply(world: World, fields: Fields): HttpReply {
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
