import { readFileSync } from 'node:fs'
import { Ajv } from 'ajv'
import { describe, expect, test } from 'vitest'
import type { ClientMessage, ServerMessage, VoiceEvent } from '../src/index.ts'
import { readClientMessage, wireEvent } from '../src/protocol/messages.ts'
import { FORMAT } from './support/talk.ts'

const schema = JSON.parse(readFileSync(new URL('../docs/protocol.schema.json', import.meta.url), 'utf8')) as {
  readonly definitions: Readonly<Record<'client' | 'server', { readonly oneOf: readonly unknown[] }>>
}
const ajv = new Ajv()
const of = (side: 'client' | 'server') => ajv.compile({ ...schema, oneOf: undefined, $ref: `#/definitions/${side}` })
const client = of('client')
const server = of('server')

/** Events that stay on the server. */
type Inner = 'tts_chunk' | 'say' | 'interrupt' | 'stt_early'

type Without<Type extends VoiceEvent['type']> = Exclude<VoiceEvent, { readonly type: Type }>

/** One of each event. A new event that is missing here does not compile. */
const EVENTS: { readonly [Type in Without<Inner>['type']]: Extract<VoiceEvent, { readonly type: Type }> } = {
  user_input: { type: 'user_input', ts: 1 },
  user_noise: { type: 'user_noise', ts: 1, transcript: '' },
  stt_output: { type: 'stt_output', ts: 1, transcript: 'hello' },
  agent_turn: { type: 'agent_turn', ts: 1, text: 'a' },
  agent_chunk: { type: 'agent_chunk', ts: 1, text: 'a' },
  agent_message: { type: 'agent_message', ts: 1, text: 'a' },
  agent_end: { type: 'agent_end', ts: 1, text: 'a' },
  tool_call: { type: 'tool_call', ts: 1, id: 'a', name: 'b', args: { secret: 1 } },
  tool_result: { type: 'tool_result', ts: 1, toolCallId: 'a', name: 'b', result: 'secret' },
  tts_sentence: { type: 'tts_sentence', ts: 1, text: 'a' },
  paused: { type: 'paused', ts: 1 },
  resumed: { type: 'resumed', ts: 1 },
  turn_end: { type: 'turn_end', ts: 1 },
  interrupted: { type: 'interrupted', ts: 1, heard: 'a' },
  error: { type: 'error', ts: 1, stage: 'agent', error: new Error('secret') },
}

test.each(Object.values(EVENTS))('the event $type is sent as the schema says, without secrets', (event) => {
  const sent = JSON.parse(JSON.stringify(wireEvent(event))) as unknown
  expect({ valid: server(sent), errors: server.errors }).toEqual({ valid: true, errors: null })
  expect(JSON.stringify(sent)).not.toContain('secret')
})

test.each<VoiceEvent & { readonly type: Exclude<Inner, 'tts_chunk'> }>([
  { type: 'say', ts: 1, text: 'a' },
  { type: 'interrupt', ts: 1 },
  { type: 'stt_early', ts: 1, transcript: 'a' },
])('the event $type stays on the server', (event) => {
  expect(wireEvent(event)).toBeUndefined()
})

test.each([
  [{ status: 402 }, 'budget'],
  [{ code: 'insufficient_quota' }, 'budget'],
  [{ code: 'insufficient_funds' }, 'budget'],
  [{ status: 403, code: 'insufficient_permissions' }, 'failed'],
  [{ status: 500, code: 'internal_error' }, 'failed'],
  [undefined, 'failed'],
])('an error %j of a stage is told as %s', (error, reason) => {
  expect(wireEvent({ type: 'error', ts: 1, stage: 'agent', error })).toMatchObject({ reason })
})

test('the schema has these events and the two messages of a connection, and no other', () => {
  expect(schema.definitions.server.oneOf).toHaveLength(Object.keys(EVENTS).length + 2)
})

describe('messages of a connection', () => {
  test.each<ServerMessage>([
    { type: 'ready', protocol: 1, session: 'a', resumed: true },
    { type: 'audio_format', turn: 1, format: FORMAT },
  ])('$type of the server is in the schema', (message) => {
    expect(server(message)).toBe(true)
  })

  test.each<ClientMessage>([
    { type: 'start', protocol: 1, format: FORMAT, token: 'a', session: 'b', locale: 'de-AT', voice: 'rms' },
    { type: 'settings', locale: 'fr' },
    { type: 'settings' },
    { type: 'start', protocol: 1, format: FORMAT },
    { type: 'played', turn: 0, seconds: 1.5 },
    { type: 'alive' },
  ])('$type of the client is in the schema, and is read as it was sent', (message) => {
    expect(client(message)).toBe(true)
    expect(readClientMessage(JSON.stringify(message))).toEqual(message)
  })
})
