import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FLOAT, floats, INT32, INT64, ints, model, node, value } from './onnx.ts'

/** Folders of test models. They have the inputs, outputs and metadata of real ones, and a few operators. */
export interface TestModels {
  readonly folder: string
  /** A VITS voice of Coqui's kind with two speakers: a tone of 500 samples for each character. */
  readonly vits: string
  /** A CTC model of NeMo's kind, which hears `sound` in loud frames. */
  readonly ctc: string
  /** A SenseVoice model that loads and cannot compute: its inputs have another type. */
  readonly failing: string
  /** A SenseVoice model, which hears the language and `sound` once in each utterance. */
  readonly senseVoice: string
  /** A file with a Silero model that finds loud windows. */
  readonly silero: string
  /** A CT transformer that writes a comma behind each `sound`. */
  readonly punctuation: string
  /** A WeSpeaker model that knows dark and bright voices. */
  readonly speakers: string
  remove(): Promise<void>
}

/** Writes the models into a new folder. */
export async function writeTestModels(): Promise<TestModels> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-audio-models-'))
  const at = (name: string): string => join(folder, name)
  const [vits, ctc, failing, senseVoice] = [at('vits'), at('ctc'), at('failing'), at('sense-voice')]
  const [silero, punctuation, speakers] = [at('silero_vad.onnx'), at('punctuation'), at('speakers')]
  await write(vits, vitsModel(), ['<PAD>', ...Array.from(' abcdefghijklmnopqrstuvwxyz.!?,')])
  await write(ctc, ctcModel(), ['\u2581sound', 's', '\u2581x', '<blk>'])
  const tokens = ['<blk>', '<|en|>', '<|NEUTRAL|>', '<|Speech|>', '<|withitn|>', '\u2581sound']
  await write(senseVoice, senseVoiceModel(INT32), tokens)
  await write(failing, senseVoiceModel(INT64), tokens)
  await writeFile(silero, sileroModel())
  await write(punctuation, punctuationModel())
  await write(speakers, speakerModel())
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true })
  return { folder, vits, ctc, failing, senseVoice, silero, punctuation, speakers, remove }
}

async function write(folder: string, bytes: Uint8Array, tokens: readonly string[] = []): Promise<void> {
  await mkdir(folder)
  await writeFile(join(folder, 'model.onnx'), bytes)
  if (tokens.length === 0) return
  await writeFile(join(folder, 'tokens.txt'), `${tokens.map((token, index) => `${token} ${index}`).join('\n')}\n`)
}

function vitsModel(): Uint8Array {
  return model(
    {
      input: [
        value('x', INT64, ['N', 'T']),
        value('x_length', INT64, ['N']),
        value('scales', FLOAT, [3]),
        value('sid', INT64, ['N']),
      ],
      output: [value('y', FLOAT, ['N', 1, 'L'])],
      initializer: [
        floats('samples', [1], [500]),
        ints('second', [1], [1]),
        ints('whole', [3], [1, 1, -1]),
        ints('scalar', [0], []),
        floats('zero', [], [0]),
        floats('one', [], [1]),
        floats('pitch', [], [0.1]),
        floats('loudness', [], [0.3]),
      ],
      node: [
        node('Cast', ['x_length'], 'length', { to: FLOAT }),
        node('Gather', ['scales', 'second'], 'slowness'),
        node('Mul', ['length', 'slowness'], 'slow'),
        node('Mul', ['slow', 'samples'], 'all'),
        node('Reshape', ['all', 'scalar'], 'end'),
        node('Range', ['zero', 'end', 'one'], 'times'),
        node('Mul', ['times', 'pitch'], 'phase'),
        node('Sin', ['phase'], 'wave'),
        node('Mul', ['wave', 'loudness'], 'tone'),
        node('Reshape', ['tone', 'whole'], 'y'),
      ],
    },
    {
      sample_rate: 22_050,
      n_speakers: 2,
      language: 'English',
      comment: 'coqui',
      frontend: 'characters',
      add_blank: 0,
      use_eos_bos: 0,
    },
  )
}

/**
 * The features of a recording have the mean 0, so a frame with a positive mean is louder than most. */
function ctcModel(): Uint8Array {
  const columns = Array.from({ length: 80 }, () => [1, 0, 0, 0]).flat()
  return model(
    {
      input: [value('audio_signal', FLOAT, ['N', 80, 'T']), value('length', INT64, ['N'])],
      output: [value('logprobs', FLOAT, ['N', 'T', 4])],
      initializer: [floats('weights', [80, 4], columns), floats('bias', [4], [-20, -999, -999, 0])],
      node: [
        node('Transpose', ['audio_signal'], 'frames', { perm: [0, 2, 1] }),
        node('MatMul', ['frames', 'weights'], 'scores'),
        node('Add', ['scores', 'bias'], 'logprobs'),
      ],
    },
    { vocab_size: 3, subsampling_factor: 1, normalize_type: 'per_feature' },
  )
}

/** Scores in which one of six tokens wins. */
function rowOf(token: number): number[] {
  return Array.from({ length: 6 }, (_, index) => (index === token ? 9 : 0))
}

/** Four marks come before the frames. Equal tokens in a row are one. */
function senseVoiceModel(lengths: number): Uint8Array {
  return model(
    {
      input: [
        value('x', FLOAT, ['N', 'T', 560]),
        value('x_length', lengths, ['N']),
        value('language', lengths, ['N']),
        value('text_norm', lengths, ['N']),
      ],
      output: [value('logits', FLOAT, ['N', 'L', 6])],
      initializer: [
        floats('marks', [1, 4, 6], [1, 2, 3, 4].flatMap(rowOf)),
        floats(
          'nothing',
          [560, 6],
          Array.from({ length: 560 * 6 }, () => 0),
        ),
        floats('sound', [6], rowOf(5)),
      ],
      node: [
        node('MatMul', ['x', 'nothing'], 'zeros'),
        node('Add', ['zeros', 'sound'], 'frames'),
        node('Concat', ['marks', 'frames'], 'logits', { axis: 1 }),
      ],
    },
    {
      vocab_size: 6,
      lfr_window_size: 7,
      lfr_window_shift: 6,
      normalize_samples: 0,
      with_itn: 14,
      without_itn: 15,
      lang_auto: 0,
      lang_zh: 3,
      lang_en: 4,
      lang_yue: 7,
      lang_ja: 11,
      lang_ko: 12,
      neg_mean: Array.from({ length: 560 }, () => '0').join(','),
      inv_stddev: Array.from({ length: 560 }, () => '1').join(','),
    },
  )
}

/** Speech is where the mean amplitude of a window is above a hundredth. */
function sileroModel(): Uint8Array {
  const state = [2, 1, 64]
  return model(
    {
      input: [
        value('input', FLOAT, ['N', 512]),
        value('sr', INT64, [1]),
        value('h', FLOAT, state),
        value('c', FLOAT, state),
      ],
      output: [value('output', FLOAT, ['N', 1]), value('hn', FLOAT, state), value('cn', FLOAT, state)],
      initializer: [floats('slope', [], [1000]), floats('bias', [], [-10])],
      node: [
        node('Abs', ['input'], 'amplitudes'),
        node('ReduceMean', ['amplitudes'], 'mean', { axes: [1], keepdims: 1 }),
        node('Mul', ['mean', 'slope'], 'steep'),
        node('Add', ['steep', 'bias'], 'score'),
        node('Sigmoid', ['score'], 'output'),
        node('Identity', ['h'], 'hn'),
        node('Identity', ['c'], 'cn'),
      ],
    },
    {},
  )
}

function punctuationModel(): Uint8Array {
  return model(
    {
      input: [value('inputs', INT32, ['N', 'T']), value('text_lengths', INT32, ['N'])],
      output: [value('logits', FLOAT, ['N', 'T', 6])],
      initializer: [floats('marks', [2, 6], [rowOf(1), rowOf(2)].flat())],
      node: [node('Gather', ['marks', 'inputs'], 'logits')],
    },
    { tokens: '<unk>|sound', vocab_size: 2, unk_symbol: '<unk>', punctuations: '<unk>|_|，|。|？|、' },
  )
}

/** The first number of an embedding is above 0 for a dark voice and below 0 for a bright one. */
function speakerModel(): Uint8Array {
  return model(
    {
      input: [value('x', FLOAT, ['N', 'T', 80])],
      output: [value('embs', FLOAT, ['N', 2])],
      initializer: [
        floats(
          'balance',
          [80, 1],
          Array.from({ length: 80 }, (_, bin) => (bin < 40 ? 1 : -1) / 40),
        ),
        floats('middle', [], [3.5]),
        floats('constant', [1, 1], [1]),
      ],
      node: [
        node('ReduceMean', ['x'], 'spectrum', { axes: [1], keepdims: 0 }),
        node('MatMul', ['spectrum', 'balance'], 'tilt'),
        node('Add', ['tilt', 'middle'], 'brightness'),
        node('Concat', ['brightness', 'constant'], 'embs', { axis: 1 }),
      ],
    },
    {
      framework: 'wespeaker',
      language: 'English',
      output_dim: 2,
      sample_rate: 16_000,
      normalize_samples: 0,
      feature_normalize_type: '',
    },
  )
}
