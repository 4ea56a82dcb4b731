import { createTestUpstream, wordErrorRate } from '@svc-audio/testing'
import { expect, test } from 'vitest'
import { isTool } from '../nodes/SvcAudio/operations/operation.ts'
import { errorOf, NODE_TYPE, outputOf, textOf } from './support/engine.ts'
import { speech, transcription } from './support/parameters.ts'
import { KEY, startTestService, served } from './support/scripted.ts'

const TOOL = { name: 'Speak', type: `${NODE_TYPE}Tool`, toolOf: 'Agent' }
const PARAMETERS = {
  ...speech({ text: "={{ $fromAI('text') }}" }),
  descriptionType: 'manual',
  toolDescription: 'Speaks',
}

const given = served()

test.each(['callingAgent', 'requestingAgent'])('a %s gets the address of what it had spoken', async (type) => {
  const call = { text: 'Good morning.' }
  const run = await given.engine.run([
    { name: 'Agent', type, parameters: { call: JSON.stringify(call), tool: 'Speak' } },
    { ...TOOL, parameters: PARAMETERS },
  ])
  expect(errorOf(run, 'Agent')).toBeUndefined()
  const [item] = outputOf(run, 'Agent')
  const [answer] = (item?.json['answer'] ?? []) as { url: string }[]
  expect(answer).toMatchObject({ status: 'SUCCESS', responseFormat: 'wav', contentType: 'audio/wav' })
  expect(item?.json['binary'] ?? false).toBe(false)
  const heard = await fetch(answer?.url ?? '').then((response) => response.arrayBuffer())
  const body = { model: 'svc-tts-1.5-flash', input: call.text, voice_id: 'rms', response_format: 'wav' }
  const sent = await given.service.direct.speech.create(body)
  expect(Buffer.compare(Buffer.from(heard), await sent.bytes())).toBe(0)
})

test('a tool is told by its type, as in n8n 2.0, whose agents tell it in no other way', () => {
  expect(isTool({ type: `${NODE_TYPE}Tool` })).toBe(true)
  expect(isTool({ type: NODE_TYPE })).toBe(false)
  expect(isTool({ type: `${NODE_TYPE}Trigger` })).toBe(false)
})

test('the service refuses a private address that an agent names, unless it is told to allow it', async () => {
  const call = JSON.stringify({ url: 'http://127.0.0.1/a.wav' })
  const run = await given.engine.run([
    { name: 'Agent', type: 'requestingAgent', parameters: { call, tool: 'Speak' } },
    { ...TOOL, parameters: transcription({ source: 'url', url: "={{ $fromAI('url') }}" }) },
  ])
  expect(JSON.stringify(outputOf(run, 'Agent'))).toContain('URL: must be a public address')
})

test('an agent transcribes the address that the Speech tool gave it', async () => {
  await using own = await startTestService({ audioUrlAllow: ['127.0.0.1'] })
  given.engine.credentials = { apiKey: KEY, baseUrl: own.url }
  const text = 'There is fresh bread on the table in the kitchen.'
  const speak = await given.engine.run([
    { name: 'Agent', type: 'requestingAgent', parameters: { call: JSON.stringify({ text }), tool: 'Speak' } },
    { ...TOOL, parameters: PARAMETERS },
  ])
  const [spoken] = (outputOf(speak, 'Agent')[0]?.json['answer'] ?? []) as Record<string, unknown>[]
  expect(spoken?.['durationSeconds']).toBeGreaterThan(1)
  expect(Date.parse(String(spoken?.['expiresAt']))).toBeGreaterThan(Date.now())
  const call = JSON.stringify({ url: spoken?.['url'] })
  // Nothing but the address is set: the tool starts with the source URL.
  const parameters = { resource: 'transcription', url: "={{ $fromAI('url') }}" }
  const listen = await given.engine.run([
    { name: 'Agent', type: 'requestingAgent', parameters: { call, tool: 'Listen' } },
    { ...TOOL, name: 'Listen', parameters },
  ])
  const [heard] = (outputOf(listen, 'Agent')[0]?.json['answer'] ?? []) as { text: string }[]
  expect(wordErrorRate(text, heard?.text ?? '')).toBeLessThanOrEqual(0.15)
  given.engine.credentials = { apiKey: KEY, baseUrl: given.service.url }
})

test('a public address is sent to the service', async () => {
  await using upstream = await createTestUpstream({ apiKey: KEY, transcript: 'hello' })
  given.engine.credentials = { apiKey: KEY, baseUrl: upstream.url }
  const parameters = transcription({ source: 'url', url: 'https://example.com/a.wav' })
  const [item] = outputOf(await given.engine.run([{ name: 'Listen', parameters }]), 'Listen')
  expect(textOf(item, 'text')).toBe('hello')
  expect(upstream.requests[0]?.json).toEqual({
    model: 'svc-transcribe-1.0',
    url: 'https://example.com/a.wav',
    response_format: 'json',
  })
})
