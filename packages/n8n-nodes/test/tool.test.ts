import { createTestUpstream } from '@svc-audio/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Engine, errorOf, NODE_TYPE, outputOf, startEngine, textOf } from './support/engine.ts'
import { speech, transcription } from './support/parameters.ts'
import { KEY, startTestService, type TestService } from './support/test-service.ts'

const TOOL = { name: 'Speak', type: `${NODE_TYPE}Tool`, toolOf: 'Agent' }
const PARAMETERS = {
  ...speech({ text: "={{ $fromAI('text') }}" }),
  descriptionType: 'manual',
  toolDescription: 'Speaks',
}

let service: TestService
let engine: Engine

beforeAll(async () => {
  service = await startTestService()
  engine = await startEngine({ apiKey: KEY, baseUrl: service.url })
})

afterAll(async () => {
  await engine?.close()
  await service?.close()
})

test.each(['callingAgent', 'requestingAgent'])('a %s gets the address of what it had spoken', async (type) => {
  const call = { text: 'Good morning.' }
  const run = await engine.run([
    { name: 'Agent', type, parameters: { call: JSON.stringify(call), tool: 'Speak' } },
    { ...TOOL, parameters: PARAMETERS },
  ])
  expect(errorOf(run, 'Agent')).toBeUndefined()
  const [item] = outputOf(run, 'Agent')
  const [answer] = (item?.json['answer'] ?? []) as { url: string }[]
  expect(answer).toMatchObject({ status: 'SUCCESS', response_format: 'wav', content_type: 'audio/wav' })
  expect(item?.json['binary'] ?? false).toBe(false)
  const heard = await fetch(answer?.url ?? '').then((response) => response.arrayBuffer())
  const body = { model: 'svc-tts-1.5-flash', input: call.text, voice_id: 'rms', response_format: 'wav' }
  const sent = await service.direct.speech.create(body)
  expect(Buffer.compare(Buffer.from(heard), await sent.bytes())).toBe(0)
})

test('an address that an agent names must be public', async () => {
  const call = JSON.stringify({ url: 'http://127.0.0.1/a.wav' })
  const run = await engine.run([
    { name: 'Agent', type: 'requestingAgent', parameters: { call, tool: 'Speak' } },
    { ...TOOL, parameters: transcription({ source: 'url', url: "={{ $fromAI('url') }}" }) },
  ])
  expect(JSON.stringify(outputOf(run, 'Agent'))).toContain('url: must be a public address')
})

test('a public address is sent to the service', async () => {
  await using upstream = await createTestUpstream({ apiKey: KEY, transcript: 'hello' })
  engine.credentials = { apiKey: KEY, baseUrl: upstream.url }
  const parameters = transcription({ source: 'url', url: 'https://example.com/a.wav' })
  const [item] = outputOf(await engine.run([{ name: 'Listen', parameters }]), 'Listen')
  expect(textOf(item, 'text')).toBe('hello')
  expect(upstream.requests[0]?.json).toEqual({
    model: 'svc-transcribe-1.0',
    url: 'https://example.com/a.wav',
    response_format: 'json',
  })
})
