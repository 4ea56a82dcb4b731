import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { type Family, findFiles, MissingFilesError, type Precision } from './model-files.ts'

const made: string[] = []
afterEach(async () => {
  for (const folder of made.splice(0)) await rm(folder, { recursive: true })
})

async function folderOf(...names: string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-audio-files-'))
  made.push(folder)
  for (const name of names) {
    if (name.endsWith('/')) await mkdir(join(folder, name))
    else await writeFile(join(folder, name), '')
  }
  return folder
}

async function found(names: string[], family: Family, precision?: Precision): Promise<Record<string, string>> {
  const files = findFiles(await folderOf(...names), family, precision)
  const base = (path: string): string =>
    path
      .split(',')
      .map((one) => basename(one))
      .join(',')
  return Object.fromEntries(Object.entries(files).map(([role, path]) => [role, base(path)]))
}

describe('findFiles', () => {
  test.each<[Family, string[], Record<string, string>]>([
    [
      'piper',
      ['en_US-amy-low.onnx', 'en_US-amy-low.onnx.json', 'tokens.txt', 'espeak-ng-data/', 'MODEL_CARD'],
      { model: 'en_US-amy-low.onnx', tokens: 'tokens.txt', dataDir: 'espeak-ng-data' },
    ],
    [
      'kokoro',
      [
        'model.onnx',
        'voices.bin',
        'tokens.txt',
        'espeak-ng-data/',
        'lexicon-us-en.txt',
        'lexicon-zh.txt',
        'date-zh.fst',
      ],
      {
        model: 'model.onnx',
        tokens: 'tokens.txt',
        dataDir: 'espeak-ng-data',
        lexicon: 'lexicon-us-en.txt,lexicon-zh.txt',
        voices: 'voices.bin',
      },
    ],
    [
      'matcha',
      ['model-steps-3.onnx', 'vocos-22khz-univ.onnx', 'tokens.txt', 'espeak-ng-data/'],
      {
        acousticModel: 'model-steps-3.onnx',
        vocoder: 'vocos-22khz-univ.onnx',
        tokens: 'tokens.txt',
        dataDir: 'espeak-ng-data',
      },
    ],
    [
      'whisper',
      ['tiny-encoder.onnx', 'tiny-encoder.int8.onnx', 'tiny-decoder.onnx', 'tiny-decoder.int8.onnx', 'tiny-tokens.txt'],
      { encoder: 'tiny-encoder.int8.onnx', decoder: 'tiny-decoder.int8.onnx', tokens: 'tiny-tokens.txt' },
    ],
    [
      'moonshine',
      ['preprocess.onnx', 'encode.int8.onnx', 'uncached_decode.int8.onnx', 'cached_decode.int8.onnx', 'tokens.txt'],
      {
        preprocessor: 'preprocess.onnx',
        encoder: 'encode.int8.onnx',
        uncachedDecoder: 'uncached_decode.int8.onnx',
        cachedDecoder: 'cached_decode.int8.onnx',
        tokens: 'tokens.txt',
      },
    ],
    [
      'parakeet',
      ['encoder.int8.onnx', 'decoder.int8.onnx', 'joiner.int8.onnx', 'tokens.txt', 'test_wavs/'],
      { encoder: 'encoder.int8.onnx', decoder: 'decoder.int8.onnx', joiner: 'joiner.int8.onnx', tokens: 'tokens.txt' },
    ],
    [
      'sense-voice',
      ['model.int8.onnx', 'model.onnx', 'tokens.txt'],
      { model: 'model.int8.onnx', tokens: 'tokens.txt' },
    ],
  ])('the files of a published %s model are found', async (family, names, files) => {
    expect(await found(names, family)).toEqual(files)
  })

  test('a model with both precisions has the chosen one', async () => {
    const names = ['model.int8.onnx', 'model.onnx', 'tokens.txt']
    expect((await found(names, 'sense-voice', 'float'))['model']).toBe('model.onnx')
  })

  test('the only folder inside a folder is the model, as in archives', async () => {
    const folder = await folderOf('inner/')
    await writeFile(join(folder, 'inner', 'model.onnx'), '')
    await writeFile(join(folder, 'inner', 'tokens.txt'), '')
    expect(findFiles(folder, 'nemo-ctc')['model']).toBe(join(folder, 'inner', 'model.onnx'))
  })

  test('a file outside the folder takes its role', async () => {
    const folder = await folderOf('model.onnx', 'tokens.txt')
    expect(findFiles(folder, 'matcha', 'int8', { vocoder: '/v.onnx' })['vocoder']).toBe('/v.onnx')
  })

  test('a folder without a file names its role', async () => {
    await expect(found(['model.onnx', 'tokens.txt'], 'piper')).rejects.toThrow('it has no dataDir (^espeak-ng-data$)')
    expect(() => findFiles('/no/such/folder', 'piper')).toThrow(MissingFilesError)
  })
})
