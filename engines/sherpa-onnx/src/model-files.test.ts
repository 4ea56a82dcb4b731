import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import type { Family } from './families.ts'
import { findFiles, findVad, MissingFilesError, type Precision } from './model-files.ts'

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
    [
      'moonshine',
      ['encoder_model.ort', 'decoder_model_merged.ort', 'tokens.txt', 'LICENSE', 'test_wavs/'],
      { encoder: 'encoder_model.ort', mergedDecoder: 'decoder_model_merged.ort', tokens: 'tokens.txt' },
    ],
    [
      'kitten',
      ['model.fp16.onnx', 'voices.bin', 'tokens.txt', 'espeak-ng-data/'],
      { model: 'model.fp16.onnx', voices: 'voices.bin', tokens: 'tokens.txt', dataDir: 'espeak-ng-data' },
    ],
    [
      'supertonic',
      [
        'duration_predictor.int8.onnx',
        'text_encoder.int8.onnx',
        'vector_estimator.int8.onnx',
        'vocoder.int8.onnx',
        'tts.json',
        'unicode_indexer.bin',
        'voice.bin',
      ],
      {
        durationPredictor: 'duration_predictor.int8.onnx',
        textEncoder: 'text_encoder.int8.onnx',
        vectorEstimator: 'vector_estimator.int8.onnx',
        vocoder: 'vocoder.int8.onnx',
        ttsJson: 'tts.json',
        unicodeIndexer: 'unicode_indexer.bin',
        voiceStyle: 'voice.bin',
      },
    ],
    [
      'pocket',
      [
        'lm_flow.int8.onnx',
        'lm_main.int8.onnx',
        'encoder.onnx',
        'decoder.int8.onnx',
        'text_conditioner.onnx',
        'vocab.json',
        'token_scores.json',
      ],
      {
        lmFlow: 'lm_flow.int8.onnx',
        lmMain: 'lm_main.int8.onnx',
        encoder: 'encoder.onnx',
        decoder: 'decoder.int8.onnx',
        textConditioner: 'text_conditioner.onnx',
        vocabJson: 'vocab.json',
        tokenScoresJson: 'token_scores.json',
      },
    ],
    [
      'qwen3',
      ['conv_frontend.onnx', 'encoder.int8.onnx', 'decoder.int8.onnx', 'tokenizer/'],
      {
        convFrontend: 'conv_frontend.onnx',
        encoder: 'encoder.int8.onnx',
        decoder: 'decoder.int8.onnx',
        tokenizer: 'tokenizer',
      },
    ],
    [
      'funasr-nano',
      ['encoder_adaptor.int8.onnx', 'llm.int8.onnx', 'embedding.int8.onnx', 'Qwen3-0.6B/'],
      {
        encoderAdaptor: 'encoder_adaptor.int8.onnx',
        llm: 'llm.int8.onnx',
        embedding: 'embedding.int8.onnx',
        tokenizer: 'Qwen3-0.6B',
      },
    ],
    [
      'canary',
      ['encoder.int8.onnx', 'decoder.int8.onnx', 'tokens.txt'],
      { encoder: 'encoder.int8.onnx', decoder: 'decoder.int8.onnx', tokens: 'tokens.txt' },
    ],
    ['dolphin', ['model.int8.onnx', 'tokens.txt'], { model: 'model.int8.onnx', tokens: 'tokens.txt' }],
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

  test('a named file takes its role, in the folder or outside', async () => {
    const folder = await folderOf('a.onnx', 'b.onnx', 'tokens.txt', 'vocos.onnx')
    expect(findFiles(folder, 'nemo-ctc', 'int8', { model: 'b.onnx' })['model']).toBe(join(folder, 'b.onnx'))
    const outside = join(await folderOf('v.onnx'), 'v.onnx')
    const files = { acousticModel: 'a.onnx', vocoder: outside }
    expect(findFiles(folder, 'matcha', 'int8', files)['vocoder']).toBe(outside)
    expect(() => findFiles(folder, 'nemo-ctc', 'int8', { model: 'c.onnx' })).toThrow('it has no c.onnx')
  })

  test('several files that fit equally are named with the key that chooses, and none is chosen by chance', async () => {
    await expect(found(['a.onnx', 'b.onnx', 'tokens.txt'], 'nemo-ctc')).rejects.toThrow(
      /has a\.onnx and b\.onnx: name one with files: \{ model: a\.onnx \}$/,
    )
    const kinds = ['model.fp16.onnx', 'model.int8.onnx', 'model.onnx', 'tokens.txt']
    expect((await found(kinds, 'nemo-ctc'))['model']).toBe('model.int8.onnx')
    expect((await found(kinds, 'nemo-ctc', 'float'))['model']).toBe('model.onnx')
  })

  test.each(['.DS_Store', '__MACOSX/', 'Thumbs.db', '._model.onnx'])(
    '%s beside a model does not hide it',
    async (name) => {
      const folder = await folderOf('inner/', name)
      for (const file of ['model.onnx', 'tokens.txt', '._model.onnx']) await writeFile(join(folder, 'inner', file), '')
      expect(findFiles(folder, 'nemo-ctc')['model']).toBe(join(folder, 'inner', 'model.onnx'))
      const vad = await folderOf('silero_vad.onnx', name)
      expect(findVad(vad).model).toBe(join(vad, 'silero_vad.onnx'))
    },
  )

  test('a folder without a file says which, in words of people', async () => {
    await expect(found(['model.onnx', 'tokens.txt'], 'piper')).rejects.toThrow(
      /is no model of the family piper: it has no espeak-ng-data$/,
    )
    await expect(found(['encoder_model.ort', 'tokens.txt'], 'moonshine')).rejects.toThrow(
      /it has no decoder_model_merged\.ort$/,
    )
    expect(() => findFiles('/no/such/folder', 'piper')).toThrow(MissingFilesError)
  })
})
