import { ProtocolError } from '../errors/service-errors.ts'
import { decodeBase64 } from './base64.ts'
import { asciiString } from './latin1.ts'

/** An event as received: `type` and all other fields. */
export interface StreamEvent {
  /** Name of the event. */
  readonly type: string
  readonly [field: string]: unknown
}

const decoder = new TextDecoder('utf-8', { fatal: true })

/**
 * Parses the data of an event as JSON.
 * @returns the event. An object with `error` and without `type` becomes an event of the type `error`.
 * @throws ProtocolError unless it is a JSON object with a string `type`
 */
export function parseEvent(data: Uint8Array): StreamEvent {
  let value: unknown
  try {
    value = JSON.parse(decoder.decode(data))
  } catch (error) {
    throw new ProtocolError('A stream event is not valid JSON', { cause: error })
  }
  if (isStreamEvent(value)) return value
  // A service that fails in mid-stream may send its ordinary error, which has no type.
  if (typeof value === 'object' && value !== null && 'error' in value) return { ...value, type: 'error' }
  throw new ProtocolError('A stream event has no type')
}

function isStreamEvent(value: unknown): value is StreamEvent {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
}

const DELTA_START = new TextEncoder().encode('{"type":"speech.audio.delta","audio":"')
const QUOTE = 34
const BRACE = 125

/**
 * Reads the audio of a `speech.audio.delta` in its usual spelling, without parsing JSON. Returns `undefined` for any
 * other event; {@link parseEvent} then reads it. Nearly every byte of a stream takes this path.
 * @throws ProtocolError if the audio is not Base64
 */
export function fastDelta(data: Uint8Array): Uint8Array | undefined {
  const end = data.length - 2
  if (end < DELTA_START.length || data[end] !== QUOTE || data[end + 1] !== BRACE) return undefined
  for (let index = 0; index < DELTA_START.length; index += 1) {
    if (data[index] !== DELTA_START[index]) return undefined
  }
  // A quote or an escape means other fields or another spelling. Neither is Base64.
  return decodeBase64(asciiString(data.subarray(DELTA_START.length, end)))
}

/**
 * Decodes the `audio` of a delta.
 * @throws ProtocolError if it is not Base64
 */
export function decodeDelta(audio: unknown): Uint8Array {
  if (typeof audio !== 'string') throw new ProtocolError('A speech.audio.delta event has no audio')
  const bytes = decodeBase64(audio)
  if (bytes === undefined) throw new ProtocolError('The audio of a speech.audio.delta event is not Base64')
  return bytes
}
