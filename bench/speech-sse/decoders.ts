import type { BenchContext } from '../harness/bench-case.ts'
import { measure } from '../harness/measure.ts'
import { rounds } from '../harness/rounds.ts'
import { median } from '../harness/units.ts'
import type { DecodingArgs } from './decoding-process.ts'
import type { SpeechShape } from './speech-body.ts'

const PROCESS = new URL('./decoding-process.ts', import.meta.url)

/** Ours (`decoder`: core's parts by hand, `stream`: its whole path), the limit and the others, with their modules. */
const MODULES = {
  decoder: new URL('./ours-decoder.ts', import.meta.url),
  stream: new URL('./ours-stream.ts', import.meta.url),
  limit: new URL('./scan.ts', import.meta.url),
  'JSON.parse': new URL('./split-and-parse.ts', import.meta.url),
  openai: new URL('./openai.ts', import.meta.url),
}

/** Name of a contestant. */
export type DecoderName = keyof typeof MODULES

/** All contestants. */
export const DECODERS: readonly DecoderName[] = ['decoder', 'stream', 'limit', 'JSON.parse', 'openai']

/** CPU seconds that each contestant takes for one stream: the median of three processes with three passes each. */
export async function decodingSeconds(
  context: BenchContext,
  label: string,
  shape: SpeechShape,
): Promise<Record<DecoderName, number>> {
  const told: BenchContext = { ...context, progress: (text) => context.progress(`${label}, ${text}`) }
  const runs = await rounds(told, DECODERS, 3, async (name) => {
    const args: DecodingArgs = { decoder: MODULES[name].href, shape, passes: 3 }
    return (await measure<number>(context, PROCESS, args)).result
  })
  const of = (name: DecoderName): number => median(runs[name])
  return {
    decoder: of('decoder'),
    stream: of('stream'),
    limit: of('limit'),
    'JSON.parse': of('JSON.parse'),
    openai: of('openai'),
  }
}
