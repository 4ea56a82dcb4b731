import { describe, expect, test } from 'vitest'
import { readOptions, readPort, UsageError } from './options.ts'

const SERVICE = { SVC_AUDIO_BASE_URL: 'https://audio.example.com', SVC_AUDIO_API_KEY: 'key' }

describe('the port', () => {
  test.each([
    [[], 5173],
    [['--port', '0'], 0],
    [['--port=65535'], 65_535],
    [['--', '--port', '8080'], 8080],
  ])('the port of %j is %d', (args, port) => {
    expect(readOptions(args, {})).toEqual({ port })
  })

  test.each(['65536', '-1', '80.5', '1e3', '0x50', ' 80', '', 'http'])('is not %j', (text) => {
    expect(() => readPort(text)).toThrow(UsageError)
    expect(() => readPort(text)).toThrow(`--port must be a number from 0 to 65535, got ${text}`)
  })
})

test.each([['--help'], ['-h'], ['--help', '--port', 'nonsense']])('%j asks for the help', (...args) => {
  expect(readOptions(args, {})).toBeUndefined()
})

test.each([
  ['an unknown option', ['--loud'], '--loud'],
  ['a word that is no option', ['5173'], '5173'],
  ['an option without its value', ['--port'], '--port'],
])('%s is refused with a hint to the help', (_case, args, name) => {
  const read = (): unknown => readOptions(args, {})
  expect(read).toThrow(UsageError)
  expect(read).toThrow(name)
  expect(read).toThrow('(see --help)')
})

describe('another service', () => {
  test('has its address and its key', () => {
    expect(readOptions([], SERVICE)).toEqual({ port: 5173, apiKey: 'key', baseUrl: 'https://audio.example.com' })
  })

  test.each([
    ['https://audio.example.com/', 'https://audio.example.com'],
    ['https://audio.example.com/v1', 'https://audio.example.com'],
    ['https://audio.example.com/v1//', 'https://audio.example.com'],
    ['http://127.0.0.1:9000/audio/v1/', 'http://127.0.0.1:9000/audio'],
    ['https://audio.example.com/v12', 'https://audio.example.com/v12'],
  ])('at %s is called at %s', (address, baseUrl) => {
    expect(readOptions([], { ...SERVICE, SVC_AUDIO_BASE_URL: address })).toMatchObject({ baseUrl })
  })

  test('is not used for a key alone: the key belongs to other programs', () => {
    expect(readOptions([], { SVC_AUDIO_API_KEY: 'key' })).toEqual({ port: 5173 })
    expect(readOptions([], { SVC_AUDIO_WEBHOOK_URL: 'nonsense' })).toEqual({ port: 5173 })
  })

  test.each([
    ['SVC_AUDIO_BASE_URL', 'audio.example.com', 'must be an http or https address'],
    ['SVC_AUDIO_BASE_URL', 'file:///etc', 'must be an http or https address'],
    ['SVC_AUDIO_API_KEY', '', 'is missing'],
    ['SVC_AUDIO_WEBHOOK_URL', 'http://hooks.example.com', 'must be an https address'],
    ['SVC_AUDIO_WEBHOOK_URL', 'hooks', 'must be an https address'],
  ])('with %s %j is refused by the name of the variable', (name, value, why) => {
    const read = (): unknown => readOptions([], { ...SERVICE, [name]: value })
    expect(read).toThrow(UsageError)
    expect(read).toThrow(`${name} ${why}`)
  })

  test('may have an address for its webhooks', () => {
    const webhookUrl = 'https://hooks.example.com/hooks/audio'
    expect(readOptions([], { ...SERVICE, SVC_AUDIO_WEBHOOK_URL: webhookUrl })).toMatchObject({ webhookUrl })
    expect(readOptions([], SERVICE)).not.toHaveProperty('webhookUrl')
  })

  test('a refused address does not show the key', () => {
    const env = { SVC_AUDIO_BASE_URL: 'nonsense', SVC_AUDIO_API_KEY: 'sk-secret' }
    expect(() => readOptions([], env)).toThrow(expect.not.objectContaining({ message: expect.stringContaining('sk-') }))
  })
})
