import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { folderAudioStore, SpeechToolError } from '@svc-audio/agent-tools'
import { AudioClient } from '@svc-audio/core'
import { status } from '@svc-audio/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import { dataFolder, readArguments } from '../src/arguments.ts'
import { checkSetup, failureLine } from '../src/check-setup.ts'
import { startUpstream, temporaryFolder } from './support.ts'

describe('the check at the start', () => {
  test('finds nothing wrong, and takes the first voice when none is set', async () => {
    const { client } = await startUpstream()
    const folder = await temporaryFolder()
    const setup = { client, store: folderAudioStore(folder), folder }
    await expect(checkSetup({ ...setup, voice_id: 'voice-2' })).resolves.toEqual({ faults: [], voice_id: 'voice-2' })
    await expect(checkSetup({ ...setup, voice_id: undefined })).resolves.toEqual({ faults: [], voice_id: 'voice-1' })
  })

  test('names a voice that the service does not have, and some that it has', async () => {
    const { client } = await startUpstream()
    const folder = await temporaryFolder()
    const { faults } = await checkSetup({ client, store: folderAudioStore(folder), folder, voice_id: 'nobody' })
    expect(faults).toEqual([
      {
        message: expect.stringContaining('no voice nobody. Choose one with --voice, e.g. voice-1, voice-2'),
        lasting: true,
      },
    ])
  })

  test('names a folder that cannot be written', async () => {
    const { client } = await startUpstream()
    const folder = join(await temporaryFolder(), 'file', 'audio')
    await mkdir(join(folder, '../..'), { recursive: true })
    await writeFile(join(folder, '..'), '')
    const { faults } = await checkSetup({ client, store: folderAudioStore(folder), folder, voice_id: 'voice-1' })
    expect(faults).toEqual([{ message: expect.stringMatching(/^The folder .* cannot be written \(E/), lasting: true }])
  })

  test('names a key that the service refuses, with the request id and without the key', async () => {
    const { client } = await startUpstream(status(401, { headers: { 'x-request-id': 'req-7' } }))
    const folder = await temporaryFolder()
    const { faults } = await checkSetup({ client, store: folderAudioStore(folder), folder, voice_id: 'voice-1' })
    expect(faults).toEqual([
      { message: 'The service refuses the key. Check SVC_AUDIO_API_KEY (request req-7)', lasting: true },
    ])
  })

  test('a service that does not answer may be up later', async () => {
    const client = new AudioClient({ apiKey: 'secret-key-0123456789', baseUrl: 'http://127.0.0.1:1' })
    onTestFinished(() => client.close())
    const folder = await temporaryFolder()
    const setup = { client, store: folderAudioStore(folder), folder }
    const { faults, voice_id } = await checkSetup({ ...setup, voice_id: 'rms' })
    expect(voice_id).toBe('rms')
    expect(faults).toEqual([{ message: expect.stringContaining('http://127.0.0.1:1 does not answer'), lasting: false }])
    const unnamed = await checkSetup({ ...setup, voice_id: undefined })
    expect(unnamed.faults.map(({ lasting }) => lasting)).toEqual([false, true])
  })
})

test.each([
  ['linux', {}, '/home/me/.local/share/svc-audio'],
  ['linux', { XDG_DATA_HOME: '/data' }, '/data/svc-audio'],
  ['linux', { XDG_DATA_HOME: 'relative' }, '/home/me/.local/share/svc-audio'],
  ['darwin', {}, '/home/me/Library/Application Support/svc-audio'],
] as const)('on %s with %o, audio is stored in %s', (platform, env, folder) => {
  expect(dataFolder({ platform, env, home: '/home/me' })).toBe(folder)
})

test('a failure is one line with its cause and request id', () => {
  const cause = new Error('fetch failed', { cause: new Error('connect ECONNREFUSED\n127.0.0.1:1') })
  const error = new SpeechToolError('unavailable', 'Try again later.', { cause, requestId: 'req-9' })
  expect(failureLine({ tool: 'speak', error })).toBe(
    'speak failed: unavailable: fetch failed: connect ECONNREFUSED 127.0.0.1:1 (request req-9)',
  )
  const plain = new SpeechToolError('invalid_text', 'Write words.')
  expect(failureLine({ tool: 'speak', error: plain })).toBe('speak failed: invalid_text: Write words.')
})

test('the command line is parsed, and wrong options are named', () => {
  expect(readArguments(['--voice', 'rms', '--no-urls', '--http', '--port', '0'], {})).toMatchObject({
    command: 'http',
    voice: 'rms',
    allowUrls: false,
    port: 0,
    host: '127.0.0.1',
    output: undefined,
    play: true,
  })
  const hosts = ['--allowed-host', 'a.example', '--allowed-host', 'b.example']
  expect(readArguments(hosts, {})).toMatchObject({ allowedHosts: ['a.example', 'b.example'], voice: undefined })
  expect(readArguments([], { SVC_AUDIO_VOICE_ID: 'slt' })).toMatchObject({ command: 'stdio', voice: 'slt' })
  expect(readArguments(['--help'], {}).command).toBe('help')
  expect(readArguments(['--url-host', 'a.com', '--url-host', '*.b.com', '--new-voices'], {})).toMatchObject({
    urlHosts: ['a.com', '*.b.com'],
    serviceVoices: true,
    newVoices: true,
  })
  expect(readArguments(['--no-voices'], {})).toMatchObject({ serviceVoices: false, newVoices: false })
  expect(() => readArguments(['--no-voices', '--new-voices'], {})).toThrow('--new-voices makes voices for speech')
  expect(readArguments(['--check', '--http'], {}).command).toBe('check')
  expect(readArguments(['--output', 'audio', '--no-play', '--no-roots'], {})).toMatchObject({
    output: 'audio',
    play: false,
    clientRoots: false,
  })
  expect(() => readArguments(['--output', 'mp3'], {})).toThrow('--output must be one of reference, file')
  expect(() => readArguments(['--voise', 'rms'], {})).toThrow('Unknown option --voise; did you mean --voice?')
  expect(() => readArguments(['--voice', 'rms', '--idle-minutes', '0'], {})).toThrow('--idle-minutes')
  expect(() => readArguments(['--voice', 'rms', '--port', 'x'], {})).toThrow('--port')
  expect(readArguments(['--task-after', '20'], {}).taskAfter).toBe(20_000)
  expect(() => readArguments(['--task-after', '0'], {})).toThrow('--task-after')
})

describe('a variable that a pasted configuration leaves without a value', () => {
  test.each([
    ['SVC_AUDIO_API_KEY', '${env:SVC_AUDIO_API_KEY}', 'the client did not put a value in its place'],
    ['SVC_AUDIO_API_KEY', '${SVC_AUDIO_API_KEY}', 'the client did not put a value in its place'],
    ['SVC_AUDIO_API_KEY', '${input:svc-audio-key}', 'the client did not put a value in its place'],
    ['SVC_AUDIO_API_KEY', '$SVC_AUDIO_API_KEY', 'the client did not put a value in its place'],
    ['SVC_AUDIO_API_KEY', '%SVC_AUDIO_API_KEY%', 'the client did not put a value in its place'],
    ['SVC_AUDIO_BASE_URL', '${env:SVC_AUDIO_BASE_URL}', 'the client did not put a value in its place'],
    ['SVC_AUDIO_VOICE_ID', '${user_config.voice}', 'the client did not put a value in its place'],
    ['SVC_AUDIO_MCP_TOKEN', '${env:TOKEN}', 'the client did not put a value in its place'],
    ['SVC_AUDIO_API_KEY', '…', 'write your value into the configuration'],
    ['SVC_AUDIO_API_KEY', '...', 'write your value into the configuration'],
    ['SVC_AUDIO_API_KEY', '<your key>', 'write your value into the configuration'],
  ])('%s with %s is named, with what to do', (name, value, remedy) => {
    for (const args of [[], ['--http'], ['--check']]) {
      expect(() => readArguments(args, { [name]: value })).toThrow(new RegExp(`^${name} is .*${remedy}`))
    }
    expect(readArguments(['--help'], { [name]: value }).command).toBe('help')
  })

  test.each([
    ['sk-secret…', 'SVC_AUDIO_API_KEY is cut off with "…": write your whole value'],
    ['sk-secret${TAIL}', 'SVC_AUDIO_API_KEY is ${TAIL}: the client did not put a value in its place'],
  ])('with a part of a key is named without the key: %s', (key, message) => {
    const read = (): unknown => readArguments([], { SVC_AUDIO_API_KEY: key })
    expect(read).toThrow(message)
    expect(read).not.toThrow('sk-secret')
  })

  test.each(['key-a-0123456789abcdef', 'sk-$ecret{1}', 'a$b', '%41bc'])('the key %s is none of them', (key) => {
    expect(readArguments([], { SVC_AUDIO_API_KEY: key }).command).toBe('stdio')
  })
})
