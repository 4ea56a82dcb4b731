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
import type { ServiceOptions } from '../../service-options.ts'
import { jsonText } from '../list-format.ts'
import { evaluate } from './evaluate.ts'
import { evaluationText, totalOf } from './eval-report.ts'

/** Options of {@link runEval}. */
export interface EvalOptions {
  readonly folder: string
  readonly voices: readonly string[] | 'all' | undefined
  readonly json: boolean
}

/** Measures the engines of a service on a folder of recordings. Works beside a running service. */
export async function runEval(
  { dataDir, engines }: Pick<ServiceOptions, 'dataDir' | 'engines'>,
  { folder, voices, json }: EvalOptions,
): Promise<string> {
  const drivers = { ...bundledEngines(), ...engines }
  const codec = await createCodec()
  const scratch = await mkdtemp(join(tmpdir(), 'svc-audio-eval-'))
  try {
    const evaluation = await evaluate({
      folder,
      drivers,
      voices,
      decode: (path) => codec.decode(path),
      toPcm: (synthesis) => resampled(codec, synthesis, join(scratch, 'speech.wav')),
      cacheDir: (await isFolder(dataDir)) ? join(dataDir, 'cache') : undefined,
    })
    return json ? jsonText({ ...evaluation, total: totalOf(evaluation.recordings) }) : evaluationText(evaluation)
  } finally {
    await codec.close()
    await drivers.close()
    await rm(scratch, { recursive: true, force: true })
  }
}

/** Voices have rates of their own. The decoder makes 16 kHz of each. */
async function resampled(codec: Codec, { format, chunks }: Synthesis, path: string): Promise<Uint8Array> {
  await pipeline(Readable.from(codec.encode(chunks, { format: 'wav', pcm: format })), createWriteStream(path))
  const parts: Uint8Array[] = []
  for await (const chunk of codec.decode(path)) parts.push(chunk)
  return Buffer.concat(parts)
}
