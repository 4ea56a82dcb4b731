import { expect, test } from 'vitest'
import { greeting } from './greeting.ts'

const URL = 'http://127.0.0.1:8787'

test('the first start prints a command that speaks with the new key', () => {
  const text = greeting({ url: URL, newApiKey: 'svca_1', newWebhookSecret: 'whsec_1' }, '/data')
  expect(text).toContain(`  address  ${URL}\n`)
  expect(text).toContain('  API key  svca_1\n')
  const command = text.split('\n').find((line) => line.startsWith('  curl ')) ?? ''
  expect(command).toContain(`curl ${URL}/v1/audio/speech -H 'authorization: Bearer svca_1'`)
  const [, body = ''] = /-d '(.+)' -o hello\.mp3$/.exec(command) ?? []
  expect(JSON.parse(body)).toEqual({ model: 'svc-tts-1.5-flash', voice_id: 'rms', input: 'Hello there.' })
})

test('a later start prints neither a key nor a command', () => {
  const text = greeting({ url: URL, newApiKey: undefined, newWebhookSecret: undefined }, '/data')
  expect(text).toBe(`svc-audio service is ready\n  address  ${URL}\n  docs     ${URL}/docs\n  data     /data\n`)
})
