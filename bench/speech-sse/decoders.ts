import type { BenchContext } from '../harness/bench-case.ts'
import { measure } from '../harness/measure.ts'
import { rounds } from '../harness/rounds.ts'
import { medians } from '../harness/statistics.ts'
import type { DecodingArgs } from './decoding-process.ts'
import type { SpeechShape } from './speech-body.ts'

const PROCESS = new URL('./decoding-process.ts', import.meta.url)

/** Ours (`decoder`: core's parts by hand, `stream`: its whole path), the limit and the peers, with their modules. */
const MODULES = {
  decoder: new URL('./ours-decoder.ts', import.meta.url),
  stream: new URL('./ours-stream.ts', import.meta.url),
  limit: new URL('./scan.ts', import.meta.url),
  'JSON.parse': new URL('./split-and-parse.ts', import.meta.url),
  openai: new URL('./openai.ts', import.meta.url),
}

/** Name of a contestant. */
export type DecoderName = keyof typeof MODULES

/** CPU seconds of each of `names` for one stream: the median of three processes with three passes each. */
export async function decodingSeconds<Name extends DecoderName>(
  context: BenchContext,
  label: string,
  names: readonly Name[],
  shape: SpeechShape,
): Promise<Record<Name, number>> {
  const told: BenchContext = { ...context, progress: (text) => context.progress(`${label}, ${text}`) }
  const runs = await rounds(told, names, 3, async (name) => {
    const args: DecodingArgs = { decoder: MODULES[name].href, shape, passes: 3 }
    return (await measure<number>(context, PROCESS, args)).result
  })
  return medians(runs, (seconds) => seconds)
}
