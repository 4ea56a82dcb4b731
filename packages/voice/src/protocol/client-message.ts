import { type ClientMessage, VOICE_PROTOCOL } from './messages.ts'

/** Rates of microphones. */
const MIN_RATE = 8000
const MAX_RATE = 48_000
/** Longest token, in characters. */
const MAX_TOKEN = 8192
/** Longest name of a session, in characters. */
const MAX_SESSION = 64

/**
 * Reads a text of a client.
 * @returns What is wrong, as a string, when the protocol does not have the message.
 */
export function readClientMessage(text: string): ClientMessage | string {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return 'The text is not JSON'
  }
  if (typeof value !== 'object' || value === null) return 'The text is not a JSON object'
  const read = (name: string): unknown => Reflect.get(value, name)
  switch (read('type')) {
    case 'start':
      return readStart(read)
    case 'played':
      return readPlayed(read('turn'), read('seconds'))
    case 'alive':
      return { type: 'alive' }
    default:
      return '`type` must be start, played or alive'
  }
}

function readStart(read: (name: string) => unknown): ClientMessage | string {
  if (read('protocol') !== VOICE_PROTOCOL) return `\`protocol\` must be ${VOICE_PROTOCOL}`
  const format = read('format')
  const part = (name: string): unknown =>
    typeof format === 'object' && format !== null ? Reflect.get(format, name) : undefined
  const sampleRate = part('sampleRate')
  if (typeof sampleRate !== 'number' || !Number.isInteger(sampleRate) || sampleRate < MIN_RATE || sampleRate > MAX_RATE)
    return `\`format.sampleRate\` must be an integer from ${MIN_RATE} to ${MAX_RATE}`
  if (part('channels') !== 1) return '`format.channels` must be 1'
  if (part('bitDepth') !== 16) return '`format.bitDepth` must be 16'
  const token = read('token')
  if (token !== undefined && (typeof token !== 'string' || token.length > MAX_TOKEN))
    return `\`token\` must be a string of at most ${MAX_TOKEN} characters`
  const session = read('session')
  if (session !== undefined && (typeof session !== 'string' || session.length > MAX_SESSION))
    return `\`session\` must be a string of at most ${MAX_SESSION} characters`
  return {
    type: 'start',
    protocol: VOICE_PROTOCOL,
    format: { sampleRate, channels: 1, bitDepth: 16 },
    ...(token === undefined ? {} : { token }),
    ...(session === undefined ? {} : { session }),
  }
}

function readPlayed(turn: unknown, seconds: unknown): ClientMessage | string {
  if (typeof turn !== 'number' || !Number.isSafeInteger(turn) || turn < 0)
    return '`turn` must be a non-negative integer'
  if (typeof seconds !== 'number' || !Number.isFinite(seconds) || seconds < 0)
    return '`seconds` must be a non-negative number'
  return { type: 'played', turn, seconds }
}
