import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { model } from '@svc-audio/kit/engine-fixtures/onnx.ts'
import { type TestModels, writeTestModels } from '@svc-audio/kit/engine-fixtures/onnx-models.ts'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { describeModel, MAX_VOICES } from './describe-model.ts'
import { findFiles } from './model-files.ts'
import { completeModel } from './own-downloads.ts'

let models: TestModels
beforeAll(async () => {
  models = await writeTestModels()
})
afterAll(() => models.remove())

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-audio-describe-'))
})
afterEach(() => rm(folder, { recursive: true }))

const EMPTY = { input: [], output: [], initializer: [], node: [] }

/** Writes files. Those that end in .onnx have the metadata. */
async function write(metadata: Readonly<Record<string, string | number>>, ...names: string[]): Promise<string> {
  for (const name of names) {
    if (name.endsWith('/')) await mkdir(join(folder, name))
    else await writeFile(join(folder, name), name.endsWith('.onnx') ? model(EMPTY, metadata) : '')
  }
  return folder
}

test('models are known by their graphs, whatever their folders are called', () => {
  expect(describeModel(models.vits)).toEqual({
    use: 'engine',
    family: 'vits',
    speakers: 2,
    voices: [
      { id: 'model-0', language: 'en' },
      { id: 'model-1', speaker: 1, language: 'en' },
    ],
  })
  expect(describeModel(models.ctc)).toEqual({ use: 'engine', family: 'nemo-ctc' })
  expect(describeModel(models.senseVoice)).toEqual({
    use: 'engine',
    family: 'sense-voice',
    languages: ['zh', 'en', 'yue', 'ja', 'ko'],
  })
  expect(describeModel(models.speakers)).toEqual({ use: 'engine', family: 'speaker-embedding' })
  expect(describeModel(models.punctuation)).toEqual({ use: 'punctuation' })
})

test('a graph that finds speech is known by its inputs', async () => {
  await cp(models.silero, join(folder, basename(models.silero)))
  expect(describeModel(folder)).toEqual({ use: 'vad' })
})

test('a voice of Piper has its name and its language', async () => {
  await write(
    { comment: 'piper', language: 'German', voice: 'de', n_speakers: 1, sample_rate: 22_050 },
    'de_DE-thorsten-medium.onnx',
    'tokens.txt',
    'espeak-ng-data/',
  )
  expect(describeModel(folder)).toEqual({
    use: 'engine',
    family: 'piper',
    speakers: 1,
    voices: [{ id: 'thorsten', language: 'de' }],
  })
})

test('the speakers of Kokoro have their names, languages and genders', async () => {
  const metadata = { model_type: 'kokoro', n_speakers: 3, sample_rate: 24_000, speaker_names: 'af,af_bella,jm_kumo' }
  await write(metadata, 'model.int8.onnx', 'voices.bin', 'tokens.txt', 'espeak-ng-data/')
  expect(describeModel(folder)).toMatchObject({
    family: 'kokoro',
    voices: [
      { id: 'af', language: 'en' },
      { id: 'af_bella', speaker: 1, language: 'en', gender: 'female' },
      { id: 'jm_kumo', speaker: 2, language: 'ja', gender: 'male' },
    ],
  })
})

test('of hundreds of speakers the first ones are voices, with the names that Piper gives them', async () => {
  const file = 'en_US-libritts_r-medium.onnx'
  await write(
    { comment: 'piper', n_speakers: 904, voice: 'en-us', sample_rate: 22_050 },
    file,
    'tokens.txt',
    'espeak-ng-data/',
  )
  await writeFile(join(folder, `${file}.json`), JSON.stringify({ speaker_id_map: { p3922: 0, p8699: 1 } }))
  const described = describeModel(folder)
  expect(described).toMatchObject({ speakers: 904 })
  const voices = described.use === 'engine' ? (described.voices ?? []) : []
  expect(voices).toHaveLength(MAX_VOICES)
  expect(voices.map(({ id }) => id).slice(0, 3)).toEqual(['p3922', 'p8699', 'libritts_r-2'])
})

test.each<[string, string[], Record<string, string | number>, string]>([
  ['Moonshine with two graphs', ['encoder_model.ort', 'decoder_model_merged.ort', 'tokens.txt'], {}, 'moonshine'],
  [
    'Whisper',
    ['base-encoder.int8.onnx', 'base-decoder.int8.onnx', 'base-tokens.txt'],
    { model_type: 'whisper-base' },
    'whisper',
  ],
  ['Canary', ['encoder.onnx', 'decoder.onnx', 'tokens.txt'], { model_type: 'EncDecMultiTaskModel' }, 'canary'],
  [
    'Parakeet',
    ['encoder.int8.onnx', 'decoder.int8.onnx', 'joiner.int8.onnx', 'tokens.txt'],
    { model_type: 'EncDecRNNTBPEModel' },
    'parakeet',
  ],
  [
    'a Zipformer',
    ['encoder.onnx', 'decoder.onnx', 'joiner.onnx', 'tokens.txt'],
    { model_type: 'zipformer2' },
    'transducer',
  ],
  [
    'Kitten',
    ['model.fp16.onnx', 'voices.bin', 'tokens.txt', 'espeak-ng-data/'],
    { model_type: 'kitten-tts' },
    'kitten',
  ],
  ['Omnilingual', ['model.int8.onnx', 'tokens.txt'], { model_type: 'omnilingual-asr' }, 'omnilingual'],
  ['MedASR', ['model.int8.onnx', 'tokens.txt'], { model_type: 'medasr_ctc' }, 'medasr'],
  ['Dolphin', ['model.int8.onnx', 'tokens.txt'], { mean: '0', invstd: '1' }, 'dolphin'],
  ['FireRed', ['encoder.int8.onnx', 'decoder.int8.onnx', 'tokens.txt'], { cmvn_mean: '0', sos: 3 }, 'fire-red'],
])('%s is known by its files', async (_, names, metadata, family) => {
  expect(describeModel(await write(metadata, ...names))).toMatchObject({ use: 'engine', family })
})

test('files that fit no family are named', async () => {
  await write({}, 'strange.onnx', 'readme.txt')
  expect(() => describeModel(folder)).toThrow(/fit no family of models: it has strange\.onnx$/)
})

test("a voice as Piper publishes it gets the files that sherpa-onnx needs, with the data of another model's folder", async () => {
  const other = join(dirname(folder), `${basename(folder)}-models`)
  await mkdir(join(other, 'amy/espeak-ng-data'), { recursive: true })
  await writeFile(join(other, 'amy/espeak-ng-data/phontab'), 'x')
  const file = 'en_US-joe-medium.onnx'
  await write({}, file)
  const voice = {
    audio: { sample_rate: 22_050 },
    espeak: { voice: 'en-us' },
    language: { name_english: 'English' },
    num_speakers: 1,
    phoneme_id_map: { _: [0], '^': [1], ˈ: [120] },
  }
  await writeFile(join(folder, `${file}.json`), JSON.stringify(voice))
  expect(completeModel(folder, other)).toBe(true)
  await rm(other, { recursive: true })
  expect(findFiles(folder, 'piper')).toMatchObject({ dataDir: join(folder, 'espeak-ng-data') })
  expect(describeModel(folder)).toMatchObject({ family: 'piper', voices: [{ id: 'joe', language: 'en' }] })
  expect(completeModel(folder, other)).toBe(false)
})

test('a voice that speaks letters is refused with the remedy', async () => {
  await write({}, 'zh.onnx')
  const voice = { audio: { sample_rate: 22_050 }, phoneme_type: 'pinyin', phoneme_id_map: { a: [1] } }
  await writeFile(join(folder, 'zh.onnx.json'), JSON.stringify(voice))
  expect(() => completeModel(folder, folder)).toThrow('take the archive of this voice that sherpa-onnx publishes')
})
