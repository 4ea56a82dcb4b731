import type { SpeechShape } from '../contestants/speech-sse.ts'
import {
  atLeast,
  atMost,
  type BenchCase,
  type BenchContext,
  type BenchRow,
  KB,
  MB,
  medians,
  reported,
  rounds,
} from '../harness/bench-case.ts'
import { measure } from '../harness/processes.ts'

const CONTESTANTS = new URL('../contestants/speech-sse.ts', import.meta.url)

/** Ours (`decoder`: core's parts by hand, `stream`: its whole path), the limit and the peers. */
type DecoderName = 'decoder' | 'stream' | 'limit' | 'JSON.parse' | 'openai'

/** Kilobytes of a chunk, as on fast and on slow networks. */
const CHUNKS = [64, 1]

/** Chunks smaller than a delta may cost twice: each is a turn of the event loop, and a delta spans several. */
const leastOf = (bar: number, kilobytes: number): number => (kilobytes * KB < LONG.deltaBytes ? bar / 2 : bar)

/** Deltas of 8 KB, 200 MB in all. */
const LONG = { deltaBytes: 8 * KB, deltas: 25_600 }

/** CPU of turning a stream of speech events into PCM, without a network. */
export const benchCase: BenchCase = {
  name: 'speech-sse',
  description: '200 MB of speech as server-sent events in memory: PCM a CPU second, and the cost of one huge event',
  async run(context) {
    const rows: BenchRow[] = []
    for (const kilobytes of CHUNKS) rows.push(...(await throughput(context, kilobytes)))
    for (const kilobytes of CHUNKS) rows.push(await linearity(context, kilobytes))
    return rows
  },
}

async function throughput(context: BenchContext, kilobytes: number): Promise<BenchRow[]> {
  const chunks = `${kilobytes} KB chunks`
  const names = ['decoder', 'stream', 'limit', 'JSON.parse', 'openai'] as const
  const seconds = await decodingSeconds(context, chunks, names, { ...LONG, chunkBytes: kilobytes * KB })
  const speed = (name: DecoderName): number => (LONG.deltaBytes * LONG.deltas) / MB / seconds[name]
  const [limit, peers] = [speed('limit'), { 'JSON.parse': speed('JSON.parse'), openai: speed('openai') }]
  return (['decoder', 'stream'] as const).flatMap((part) => {
    const ours = speed(part)
    const row = { name: `SSE ${part}, ${chunks}`, unit: 'MB/CPU-s', ours, limit, peers }
    const [toLimit, toOpenai] = [ours / limit, ours / peers.openai]
    return [
      { ...row, ratio: toLimit, ...atLeast('ours/limit', toLimit, leastOf(0.6, kilobytes)) },
      { ...row, ratio: toOpenai, ...atLeast('ours/openai', toOpenai, leastOf(4, kilobytes)) },
      { ...row, ratio: null, ...reported('ours ≥ 1,000 MB/CPU-s') },
    ]
  })
}

/**
 * An event twice as large may take twice as long. Joining all received bytes at each chunk would take four times as
 * long.
 */
async function linearity(context: BenchContext, kilobytes: number): Promise<BenchRow> {
  const chunks = `${kilobytes} KB chunks`
  const seconds = <Name extends DecoderName>(
    megabytes: number,
    names: readonly Name[],
  ): Promise<Record<Name, number>> => {
    // Base64 encodes three bytes as four characters.
    const shape = { deltaBytes: (megabytes * MB * 3) / 4, deltas: 1, chunkBytes: kilobytes * KB }
    return decodingSeconds(context, `event of ${megabytes} MB, ${chunks}`, names, shape)
  }
  const { decoder: half } = await seconds(16, ['decoder'])
  const { decoder: ours, limit, ...peers } = await seconds(32, ['decoder', 'limit', 'JSON.parse', 'openai'])
  const name = `SSE event of 32 MB, ${chunks}`
  const growth = ours / half
  return { name, unit: 'CPU-s', ours, limit, peers, ratio: growth, ...atMost('32 MB/16 MB', growth, 3) }
}

/** CPU seconds of each of `names` for one stream: the median of three processes with three passes each. */
async function decodingSeconds<Name extends DecoderName>(
  context: BenchContext,
  label: string,
  names: readonly Name[],
  shape: SpeechShape,
): Promise<Record<Name, number>> {
  const told: BenchContext = { ...context, progress: (text) => context.progress(`${label}, ${text}`) }
  const runs = await rounds(told, names, 3, (name) => measure<number>(context, CONTESTANTS, name, shape))
  return medians(runs, ({ result }) => result)
}
