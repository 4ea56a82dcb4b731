import { copyFile, mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { fliteSpeech } from '@svc-audio/kit/engine-fixtures/flite-speech.ts'
import { type TestModels, writeTestModels } from '@svc-audio/kit/engine-fixtures/onnx-models.ts'
import { Random } from '@svc-audio/kit/engine-fixtures/random.ts'
import { childPids } from '@svc-audio/kit/engine-fixtures/process-list.ts'
import {
  EngineFailedError,
  type DiarizationEngine,
  type RecognitionEngine,
  type RecognizedWord,
  type SpeechEngine,
} from '@svc-audio/engine-ports'
import { diarizationContract, recognitionContract, speechContract } from '@svc-audio/engine-ports/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  completeModel,
  createSherpaDiarization,
  createSherpaRecognition,
  createSherpaSpeech,
  engineKind,
  type RecognitionFamily,
} from '../src/index.ts'

let models: TestModels
let speech: Uint8Array<ArrayBuffer>
let dialogue: Uint8Array<ArrayBuffer>
beforeAll(async () => {
  models = await writeTestModels()
  const samples = await fliteSpeech('The train to the coast leaves at seven in the morning.')
  speech = new Uint8Array(samples.buffer)
  const response = bright(await fliteSpeech('Please call Stella and ask her to come.'))
  const last = await fliteSpeech('We were waiting for hours in the cold rain.')
  dialogue = new Uint8Array(await new Blob([samples, response, last]).arrayBuffer())
})
afterAll(() => models.remove())

const voices = [
  { id: 'one', name: 'One', language: 'en' },
  { id: 'two', name: 'Two', language: 'de', speaker: 1 },
]
const createSpeech = (): Promise<SpeechEngine> => createSherpaSpeech({ family: 'vits', folder: models.vits, voices })
const createCtc = (): Promise<RecognitionEngine> =>
  createSherpaRecognition({ family: 'nemo-ctc', folder: models.ctc, languages: ['en'] })
const createSenseVoice = (): Promise<RecognitionEngine> =>
  createSherpaRecognition({ family: 'sense-voice', folder: models.senseVoice, languages: ['zh', 'en'] })

const createSpeakers = (): Promise<DiarizationEngine> =>
  createSherpaDiarization({ family: 'speaker-embedding', folder: models.speakers })

/** A voice with more of the high frequencies. */
function bright(samples: Int16Array): Int16Array<ArrayBuffer> {
  return Int16Array.from(samples, (sample, index) => sample - 0.95 * (samples[index - 1] ?? 0))
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

describe('a VITS voice keeps the contract of speech', () => {
  test.each(speechContract)('$name', async ({ run }) => {
    const subject = { create: createSpeech, text: 'One two. Three four.', unspeakable: '… !' }
    await expect(run(subject)).resolves.toBeUndefined()
  })
})

describe('a CTC model keeps the contract of recognition', () => {
  test.each(recognitionContract)('$name', async ({ run }) => {
    await expect(run({ create: createCtc, speech, says: /sound/ })).resolves.toBeUndefined()
  })
})

describe('a SenseVoice model keeps the contract of recognition', () => {
  test.each(recognitionContract)('$name', async ({ run }) => {
    await expect(run({ create: createSenseVoice, speech, says: /sound/ })).resolves.toBeUndefined()
  })
})

describe('a model of embeddings keeps the contract of diarization', () => {
  test.each(diarizationContract)('$name', async ({ run }) => {
    await expect(run({ create: createSpeakers, speech: dialogue, speakers: 2 })).resolves.toBeUndefined()
  })
})

test('one who speaks again has the same label', async () => {
  const engine = await createSpeakers()
  const { segments } = await engine.diarize(once(dialogue))
  await engine.close()
  expect(segments.map(({ speaker }) => speaker)).toEqual(['S01', 'S02', 'S01'])
})

test('a higher similarity finds more speakers, and a similarity of 0 fewer', async () => {
  const found = async (similarity: number, speakers: Uint8Array): Promise<number> => {
    const engine = await createSherpaDiarization({ family: 'speaker-embedding', folder: models.speakers, similarity })
    const { segments } = await engine.diarize(once(speakers))
    await engine.close()
    return new Set(segments.map(({ speaker }) => speaker)).size
  }
  expect(await found(1, dialogue)).toBeGreaterThan(2)
  expect(await found(0, speech)).toBe(1)
})

describe('a model that finds speech', () => {
  const noise = (seconds: number, loudness: number): Uint8Array<ArrayBuffer> => {
    const random = new Random(1)
    const samples = Int16Array.from({ length: seconds * 16_000 }, () => random.between(-loudness, loudness))
    return new Uint8Array(samples.buffer)
  }

  test('says what is speech: the recognizer hears loud noise with it, and not without it', async () => {
    const text = async (vad?: string): Promise<string> => {
      const engine = await createSherpaRecognition({ family: 'sense-voice', folder: models.senseVoice, vad })
      const recognition = await engine.recognize(once(noise(2, 6000)))
      await engine.close()
      return recognition.text
    }
    expect([await text(), await text(models.silero)]).toEqual(['', 'sound'])
  })

  test('says where the turns of a dialogue are', async () => {
    const engine = await createSherpaDiarization({
      family: 'speaker-embedding',
      folder: models.speakers,
      vad: models.silero,
    })
    const { segments } = await engine.diarize(once(dialogue))
    await engine.close()
    expect(segments.map(({ speaker }) => speaker)).toEqual(['S01', 'S02', 'S01'])
  })
})

test('a model for punctuation writes its marks into the text and into its words', async () => {
  const { ctc, punctuation } = models
  const engine = await createSherpaRecognition({ family: 'nemo-ctc', folder: ctc, languages: ['en'], punctuation })
  const { text, words } = await engine.recognize(once(speech))
  await engine.close()
  expect(text).toMatch(/^(?:sound, )+sound\.$/)
  expect(words.map(({ word }) => word).join(' ')).toBe(text)
})

test('a model tells the language that it heard', async () => {
  const engine = await createSenseVoice()
  const { language, text, words } = await engine.recognize(once(speech))
  await engine.close()
  expect({ language, text, words: words.map(({ word }) => word) }).toEqual({
    language: 'en',
    text: 'sound',
    words: ['sound'],
  })
})

test('the times of words count from the start of the recording', async () => {
  const engine = await createCtc()
  const starts = async (silentSeconds: number): Promise<number[]> => {
    const pcm = Buffer.concat([Buffer.alloc(silentSeconds * 32_000), speech])
    return (await engine.recognize(once(pcm))).words.map(({ startSecond }: RecognizedWord) => startSecond)
  }
  const [early, late] = [await starts(1), await starts(4)]
  await engine.close()
  expect(early.length).toBeGreaterThan(2)
  expect(late).toHaveLength(early.length)
  for (const [index, start] of late.entries()) expect(start - (early[index] ?? 0)).toBeCloseTo(3, 1)
})

test('a model that cannot compute is an error, and not an empty text', async () => {
  const engine = await createSherpaRecognition({ family: 'sense-voice', folder: models.failing })
  await expect(engine.recognize(once(speech))).rejects.toThrow('The model cannot compute')
  await engine.close()
})

test('a broken model ends its own process, and the error has the words of sherpa-onnx', async () => {
  const folder = join(models.folder, 'broken')
  await mkdir(folder)
  await writeFile(join(folder, 'model.onnx'), 'no model')
  await writeFile(join(folder, 'tokens.txt'), 'a 0\n')
  await expect(createSherpaSpeech({ family: 'vits', folder, voices })).rejects.toThrow(EngineFailedError)
})

test("Moonshine's two graphs hear a reading to its end, also beyond the 9.2 s at which sherpa-onnx stops", async () => {
  const folder = join(models.folder, 'moonshine')
  const weights = join(dirname(fileURLToPath(import.meta.resolve('@svc-audio/moonshine-en/package.json'))), 'files')
  await mkdir(folder)
  for (const name of ['encoder_model.ort', 'decoder_model_merged.ort', 'tokenizer.bin'])
    await copyFile(join(weights, name), join(folder, name))
  expect(completeModel(folder, models.folder)).toBe(true)
  const reading = await fliteSpeech(
    'The train to the coast leaves at seven in the morning and stops at every station along the river, where people with baskets of fruit and flowers wait for it, and the last of the passengers who travel to the harbour see the lights of the ships before the evening comes and the water is dark.',
  )
  expect(reading.length / 16_000).toBeGreaterThan(13)
  const engine = await createSherpaRecognition({ family: 'moonshine', folder, languages: ['en'] })
  const { text, segments = [] } = await engine.recognize(once(new Uint8Array(reading.buffer)))
  await engine.close()
  expect(text).toMatch(/train to the coast/i)
  expect(text).toMatch(/people with baskets/i)
  expect(text).toMatch(/water is dark/i)
  for (const { startSecond, endSecond } of segments) expect(endSecond - startSecond).toBeLessThanOrEqual(9.2)
})

/** Files of families that are not among the test models, as published archives name them. The graph comes first. */
const FILES: readonly (readonly [family: RecognitionFamily, files: readonly string[]])[] = [
  ['canary', ['encoder.int8.onnx', 'decoder.int8.onnx', 'tokens.txt']],
  ['cohere', ['encoder.int8.onnx', 'decoder.int8.onnx', 'tokens.txt']],
  ['dolphin', ['model.int8.onnx', 'tokens.txt']],
  ['fire-red', ['encoder.int8.onnx', 'decoder.int8.onnx', 'tokens.txt']],
  ['fire-red-ctc', ['model.int8.onnx', 'tokens.txt']],
  ['medasr', ['model.int8.onnx', 'tokens.txt']],
  ['omnilingual', ['model.int8.onnx', 'tokens.txt']],
  ['paraformer', ['model.int8.onnx', 'tokens.txt']],
  ['telespeech-ctc', ['model.int8.onnx', 'tokens.txt']],
  ['wenet-ctc', ['model.int8.onnx', 'tokens.txt']],
]

test.each(FILES)('sherpa-onnx loads the graph of %s', async (family, files) => {
  const folder = await mkdtemp(join(models.folder, 'family-'))
  for (const name of files) await writeFile(join(folder, name), name === 'tokens.txt' ? 'a 0\n' : 'none')
  await expect(createSherpaRecognition({ family, folder })).rejects.toThrow(
    `${files[0]} failed:Protobuf parsing failed`,
  )
})

test('a voice beyond the speakers of the model is named', async () => {
  const beyond = [{ id: 'three', name: 'Three', language: 'en', speaker: 2 }]
  await expect(createSherpaSpeech({ family: 'vits', folder: models.vits, voices: beyond })).rejects.toThrow(
    'The voice three is speaker 2, and the model has 2: from 0 to 1',
  )
})

test('a process that is killed fails its work, and the next work has a new process', async () => {
  const others = new Set(await childPids(process.pid))
  const engine = await createSherpaSpeech({ family: 'vits', folder: models.vits, voices })
  const pid = (await childPids(process.pid)).find((child) => !others.has(child))
  const speak = async (): Promise<number> => {
    let bytes = 0
    for await (const chunk of (await engine.synthesize({ text: 'One.', voiceId: 'one' })).chunks) bytes += chunk.length
    return bytes
  }
  process.kill(pid ?? 0, 'SIGKILL')
  await expect(speak()).rejects.toThrow(EngineFailedError)
  expect(await speak()).toBeGreaterThan(1000)
  await engine.close()
  expect((await childPids(process.pid)).filter((child) => !others.has(child))).toEqual([])
})

test('an entry with a model of embeddings makes a diarizer', async () => {
  const context = { name: 'mine', folder: models.folder, dataDir: '/nowhere', environment: {} }
  const entry = { family: 'speaker-embedding', model: 'speakers', vad: 'silero_vad.onnx', similarity: 0.6 }
  const checked = engineKind.check(entry, context)
  if (checked.faults !== undefined) throw new Error(JSON.stringify(checked.faults))
  const { speech: voice, recognition, diarization } = await checked.create()
  expect([voice, recognition, diarization?.name]).toEqual([undefined, undefined, 'mine'])
})

test('an entry of the file of engines makes a driver', async () => {
  const context = { name: 'mine', folder: models.folder, dataDir: '/nowhere', environment: {} }
  const checked = engineKind.check({ family: 'vits', model: 'vits', voices: [{ id: 'one', language: 'en' }] }, context)
  if (checked.faults !== undefined) throw new Error(JSON.stringify(checked.faults))
  const parts = await checked.create()
  const { speech: driver } = parts
  expect(driver).toMatchObject({ name: 'mine', voices: [{ id: 'one', name: 'one', language: 'en' }] })
  const engine = await driver?.create({ signal: new AbortController().signal, workers: 1 })
  expect(parts.memory?.()).toBeGreaterThanOrEqual(0)
  await engine?.close()
})
