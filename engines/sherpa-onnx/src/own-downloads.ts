import { cpSync, existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { MissingFilesError, visibleNames } from './model-files.ts'
import { appendMetadata, readGraph } from './onnx-file.ts'

/** Folder with the pronunciations of espeak-ng, which Piper's voices need. */
const DATA = 'espeak-ng-data'

/** Where systems install it. */
const SYSTEM_FOLDERS = [
  '/usr/share/espeak-ng-data',
  '/usr/lib/*/espeak-ng-data',
  '/usr/lib/espeak-ng-data',
  '/usr/local/share/espeak-ng-data',
  '/opt/homebrew/share/espeak-ng-data',
  'C:/Program Files/eSpeak NG/espeak-ng-data',
]

/** The part of Piper's description of a voice that sherpa-onnx needs. */
const PiperVoice = z.object({
  audio: z.object({ sample_rate: z.int() }),
  espeak: z.object({ voice: z.string() }).optional(),
  language: z.object({ name_english: z.string().optional(), family: z.string().optional() }).optional(),
  num_speakers: z.int().default(1),
  phoneme_type: z.string().default('espeak'),
  phoneme_id_map: z.record(z.string(), z.array(z.int()).min(1)),
})

/**
 * Completes a model as its makers publish it, where sherpa-onnx needs more: a voice of Piper, which is a graph beside a
 * description in JSON, and Moonshine with its own tokenizer.
 * @param models Folder of other models, which may have the data of espeak-ng.
 * @returns Whether something was added
 * @throws MissingFilesError with the remedy
 */
export function completeModel(folder: string, models: string): boolean {
  const names = visibleNames(folder)
  if (names.includes('tokens.txt')) return false
  return completeMoonshine(folder, names) || completePiper(folder, names, models)
}

/** Writes the tokens of Moonshine's tokenizer: each text has its length before it. */
function completeMoonshine(folder: string, names: readonly string[]): boolean {
  if (!names.includes('tokenizer.bin') || !names.includes('encoder_model.ort')) return false
  const bytes = readFileSync(join(folder, 'tokenizer.bin'))
  const lines: string[] = []
  for (let at = 0; at < bytes.length;) {
    const [first = 0, second = 0] = [bytes[at], bytes[at + 1]]
    const [length, head] = first < 128 ? [first, 1] : [second * 128 + first - 128, 2]
    lines.push(`${bytes.toString('base64', at + head, at + head + length)} ${lines.length}\n`)
    at += head + length
  }
  writeFileSync(join(folder, 'tokens.txt'), lines.join(''))
  return true
}

/** Writes the phonemes of a voice, the metadata of its graph and the data of espeak-ng. */
function completePiper(folder: string, names: readonly string[], models: string): boolean {
  const graph = names.find((name) => name.endsWith('.onnx') && names.includes(`${name}.json`))
  if (graph === undefined) return false
  const voice = readVoice(join(folder, `${graph}.json`))
  if (voice === undefined) return false
  const { espeak, phoneme_type: type } = voice
  if (type !== 'espeak' || espeak === undefined) {
    throw new MissingFilesError(
      `The voice ${graph} has no phonemes of espeak-ng: take the archive of this voice that sherpa-onnx publishes`,
    )
  }
  const data = findData(folder, models)
  const phonemes = Object.entries(voice.phoneme_id_map).filter(([symbol]) => symbol !== '\n')
  writeFileSync(join(folder, 'tokens.txt'), `${phonemes.map(([symbol, ids]) => `${symbol} ${ids[0]}`).join('\n')}\n`)
  const path = join(folder, graph)
  if (readGraph(path).metadata['comment'] === undefined) {
    appendMetadata(path, {
      model_type: 'vits',
      comment: 'piper',
      language: voice.language?.name_english ?? voice.language?.family ?? 'English',
      // espeak-ng has the Portuguese of Portugal under the name of the language.
      voice: espeak.voice === 'pt-PT' ? 'pt' : espeak.voice,
      has_espeak: 1,
      n_speakers: voice.num_speakers,
      sample_rate: voice.audio.sample_rate,
    })
  }
  if (data !== undefined) cpSync(data, join(folder, DATA), { recursive: true, dereference: true })
  return true
}

function readVoice(path: string): z.infer<typeof PiperVoice> | undefined {
  try {
    return PiperVoice.parse(JSON.parse(readFileSync(path, 'utf8')))
  } catch {
    return undefined
  }
}

/** The data of espeak-ng: of another model, or of this system. @returns Nothing if the folder has it */
function findData(folder: string, models: string): string | undefined {
  if (existsSync(join(folder, DATA))) return undefined
  const found = globSync([join(models, '*', DATA), ...SYSTEM_FOLDERS]).find((one) => existsSync(join(one, 'phontab')))
  if (found !== undefined) return found
  throw new MissingFilesError(
    'A voice of Piper needs the data of espeak-ng: install espeak-ng, or put its folder espeak-ng-data beside the voice',
  )
}
