import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ConfigurationError, StreamTruncatedError } from '../src/index.ts'
import { encodeWav, readAigc, WavMeter } from '../src/audio/index.ts'
import { nodeFiles } from '../src/node/files.ts'
import { narrate, type NarrationClient } from '../src/text/index.ts'
import { collect, connect, rejection } from './support/clients.ts'
import { type Asked, hold, samples, startSpeaker } from './support/narration.ts'
import { STREAM } from './support/speech.ts'

const BODY = {
  ...STREAM,
  input: 'The first one is of this length. The second one is a bit so.',
  aigc_metadata: { enabled: true, content_propagator: 'Ünser Haus', propagate_id: 'p-1' },
}
const OPTIONS = { maxCharacters: 32, gapSeconds: 0.1 }
const FORMAT = { sampleRate: 24_000, channels: 1, bitDepth: 16 }
const SPEECH = samples(...hold(2400, 1000))
const AUDIO = Buffer.concat([SPEECH, samples(...hold(2400)), SPEECH])
const MARK = {
  AIGC: {
    Label: '1',
    ContentProducer: 'svc-audio',
    ProduceID: 'task-The first one is of this length.',
    ReservedCode1: '',
    ContentPropagator: 'Ünser Haus',
    PropagateID: 'p-1',
    ReservedCode2: '',
  },
}
let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-audio-narrate-'))
})

afterEach(async () => {
  await rm(folder, { recursive: true })
})

const respond = (asked: Asked): void => asked.speak(SPEECH)

/** A client that may write files. */
async function writer(handle: (asked: Asked) => void = respond): Promise<NarrationClient> {
  const { speech } = connect((await startSpeaker(handle)).url)
  return { speech: { stream: (body, options) => speech.stream(body, options), files: nodeFiles } }
}

describe('interface: aigc_metadata', () => {
  test('a WAV carries the requested marking', async () => {
    const narration = await narrate(await writer(), BODY, OPTIONS)
    const wav = await narration.toWav()
    expect(JSON.parse(readAigc(wav) ?? '')).toEqual(MARK)
    expect(JSON.parse(narration.aigc ?? '')).toEqual(MARK)
  })

  test('a file carries it too, and has the same bytes', async () => {
    const client = await writer()
    const path = join(folder, 'a.wav')
    const saved = await (await narrate(client, BODY, OPTIONS)).saveTo(path)
    const file = await readFile(path)
    expect(file.equals(await (await narrate(client, BODY, OPTIONS)).toWav())).toBe(true)
    expect(saved).toEqual({ bytes: file.length, durationSeconds: 0.3, complete: true })
    expect(JSON.parse(readAigc(file) ?? '')).toEqual(MARK)
  })

  test('it follows the samples, which stay unchanged', async () => {
    const wav = await (await narrate(await writer(), BODY, OPTIONS)).toWav()
    expect(Buffer.from(wav.subarray(44, 44 + AUDIO.length)).equals(AUDIO)).toBe(true)
    const meter = new WavMeter()
    meter.add(wav)
    expect(meter.durationSeconds).toBe(0.3)
    expect(new DataView(wav.buffer).getUint32(4, true)).toBe(wav.length - 8)
  })

  test.each([undefined, {}, { enabled: false, propagate_id: 'p' }])('%j writes nothing', async (metadata) => {
    const { aigc_metadata: _, ...rest } = BODY
    const body = metadata === undefined ? rest : { ...rest, aigc_metadata: metadata }
    const narration = await narrate(await writer(), body, OPTIONS)
    expect(narration.aigc).toBeUndefined()
    const wav = await narration.toWav()
    expect(Buffer.from(wav).equals(encodeWav(FORMAT, [AUDIO]))).toBe(true)
    expect(readAigc(wav)).toBeUndefined()
  })

  test('PCM carries none', async () => {
    const pcm = await collect(await narrate(await writer(), BODY, OPTIONS))
    expect(Buffer.from(pcm).equals(AUDIO)).toBe(true)
  })
})

describe('asResponse() of a narration', () => {
  test('is a WAV that is sent while it is spoken, with headers of the caller', async () => {
    const whole = await collect(await narrate(await writer(), BODY, OPTIONS))
    const response = (await narrate(await writer(), BODY, OPTIONS)).asResponse({ 'cache-control': 'no-store' })
    expect(Object.fromEntries(response.headers)).toEqual({ 'cache-control': 'no-store', 'content-type': 'audio/wav' })
    const bytes = new Uint8Array(await response.arrayBuffer())
    expect(Buffer.from(bytes.subarray(0, 4)).toString()).toBe('RIFF')
    expect(Buffer.from(bytes.subarray(44))).toEqual(whole)
  })

  test('that is cancelled ends the requests', async () => {
    const closed = Promise.withResolvers<void>()
    const client = await writer((asked) => {
      asked.begin(SPEECH)
      asked.response.once('close', closed.resolve)
    })
    const response = (await narrate(client, BODY, OPTIONS)).asResponse()
    await response.body?.cancel()
    await expect(closed.promise).resolves.toBeUndefined()
  })
})

describe('a file', () => {
  test('that fails is removed', async () => {
    const client = await writer((asked) => {
      asked.begin(SPEECH)
      if (asked.input.startsWith('The second')) asked.response.end()
      else asked.done()
    })
    const narration = await narrate(client, BODY, { ...OPTIONS, concurrency: 1 })
    expect(await rejection(narration.saveTo(join(folder, 'a.wav')))).toBeInstanceOf(StreamTruncatedError)
    expect(await readdir(folder)).toEqual([])
  })

  test('needs access to files', async () => {
    const { speech } = await writer()
    const client: NarrationClient = { speech: { stream: (body, options) => speech.stream(body, options) } }
    const narration = await narrate(client, BODY, OPTIONS)
    expect(await rejection(narration.saveTo(join(folder, 'a.wav')))).toBeInstanceOf(ConfigurationError)
  })

  test('can be taken once', async () => {
    const narration = await narrate(await writer(), BODY, OPTIONS)
    await narration.toWav()
    expect(await rejection(narration.toWav())).toBeInstanceOf(TypeError)
    expect(await rejection(narration.saveTo(join(folder, 'a.wav')))).toBeInstanceOf(TypeError)
    expect(() => narration.stream()).toThrow(TypeError)
    expect(await readdir(folder)).toEqual([])
  })
})
