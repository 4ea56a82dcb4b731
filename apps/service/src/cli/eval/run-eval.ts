import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Codec, Synthesis } from '@svc-audio/engine-ports'
import { bundledEngines } from '@svc-audio/engines'
import { createCodec } from '../../drivers/codec/create-codec.ts'
import { isFolder } from '../../drivers/folder/folders.ts'
import type { FileEngine } from '../../engines-file/engines.ts'
import type { ServiceOptions } from '../../service-options.ts'
import { jsonText } from '../list-format.ts'
import { enginesOfFile } from '../engines-of-file.ts'
import { UsageError } from '../errors.ts'
import { evaluate, type EvaluateOptions, type Evaluation, evaluationText, totalOf } from './evaluate.ts'

/** Options of {@link runEval}. */
export interface EvalOptions {
  readonly folder: string
  readonly voices: readonly string[] | 'all' | undefined
  /** The one engine of the file to measure. @default all of them */
  readonly engine?: string | undefined
  readonly json: boolean
  /** Receives a line for each recording and each voice that was measured. @default nothing */
  readonly onProgress?: (line: string) => void
}

/** An engine of the file, or the engines of a service without one. */
interface Measured {
  readonly engine: string | undefined
  readonly drivers: EvaluateOptions['drivers']
  readonly voices: EvalOptions['voices']
  readonly isVoicesAlone: boolean
}

/**
 * Measures the engines of a service on a folder of recordings, those of a file of engines one after the other. Works
 * beside a running service.
 * @throws UsageError for a wrong file, folder, engine or voice
 */
export async function runEval(
  {
    dataDir,
    engines,
    enginesFile,
    onnxRuntime: runtime,
  }: Pick<ServiceOptions, 'dataDir' | 'engines' | 'enginesFile' | 'onnxRuntime'>,
  options: EvalOptions,
): Promise<string> {
  const { folder, voices, engine, json, onProgress } = options
  const ofFile =
    enginesFile === undefined && engine === undefined ? [] : await enginesOfFile({ enginesFile, dataDir }, engine)
  const bundled = { ...bundledEngines({ runtime }), ...engines }
  const codec = await createCodec()
  const scratch = await mkdtemp(join(tmpdir(), 'svc-audio-eval-'))
  try {
    const measured: readonly Measured[] =
      ofFile.length === 0
        ? [{ engine: undefined, drivers: bundled, voices, isVoicesAlone: false }]
        : measuredOf(ofFile, bundled, voices)
    const cacheDir = (await isFolder(dataDir)) ? join(dataDir, 'cache') : undefined
    const results: { readonly engine: string | undefined; readonly evaluation: Evaluation }[] = []
    for (const { engine: measuredEngine, ...one } of measured) {
      const evaluation = await evaluate({
        ...one,
        folder,
        decode: (path) => codec.decode(path),
        toPcm: (synthesis) => resampled(codec, synthesis, join(scratch, 'speech.wav')),
        cacheDir,
        onProgress,
      })
      results.push({ engine: measuredEngine, evaluation })
    }
    if (!json) return results.map(({ evaluation }) => evaluationText(evaluation)).join('\n')
    const items = results.map(withTotal)
    return jsonText(ofFile.length === 0 ? items[0] : items)
  } finally {
    await codec.close()
    await Promise.all(ofFile.map(async ({ parts }) => parts.close?.()))
    await bundled.close()
    await rm(scratch, { recursive: true, force: true })
  }
}

/** A result as JSON. The engines of a service without a file have no name. */
function withTotal({ engine, evaluation }: { readonly engine: string | undefined; readonly evaluation: Evaluation }) {
  return { engine, ...evaluation, total: totalOf(evaluation.recordings) }
}

/** What an entry lacks for its measurement comes from the bundled engines: a recognizer for its voices. */
function measuredOf(
  entries: readonly FileEngine[],
  bundled: EvaluateOptions['drivers'],
  wanted: EvalOptions['voices'],
): readonly Measured[] {
  const speaking = entries.filter(({ parts }) => parts.speech !== undefined)
  if (Array.isArray(wanted) && speaking.length > 1) {
    const names = speaking.map(({ name }) => name).join(', ')
    throw new UsageError(`--voices with ids needs --engine: ${names} have voices`)
  }
  const measured = entries.flatMap(({ name, parts: { speech, recognition, diarization } }): Measured[] => {
    const voices = speech === undefined ? undefined : wanted
    if (recognition === undefined && voices === undefined) return []
    const drivers = {
      speech: speech ?? bundled.speech,
      recognition: recognition ?? bundled.recognition,
      diarization: diarization ?? bundled.diarization,
    }
    return [{ engine: name, drivers, voices, isVoicesAlone: recognition === undefined }]
  })
  if (measured.length > 0) return measured
  throw new UsageError('These engines recognize nothing: add --voices all to measure their voices')
}

/** Voices have rates of their own. The decoder makes 16 kHz of each. */
async function resampled(codec: Codec, { format, chunks }: Synthesis, path: string): Promise<Uint8Array> {
  await pipeline(Readable.from(codec.encode(chunks, { format: 'wav', pcm: format })), createWriteStream(path))
  const parts: Uint8Array[] = []
  for await (const chunk of codec.decode(path)) parts.push(chunk)
  return Buffer.concat(parts)
}
