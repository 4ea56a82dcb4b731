import { atLeast, atMost, reported } from '../harness/bars.ts'
import type { BenchCase, BenchContext, BenchRow } from '../harness/bench-case.ts'
import { MB } from '../harness/units.ts'
import { type DecoderName, decodingSeconds } from '../speech-sse/decoders.ts'

/** Chunks as a fast network delivers them, and as small as a slow one does. */
const CHUNKS = [64, 1]

/** Deltas of 8 KB, 200 MB in all. */
const LONG = { deltaBytes: 8 * 1024, deltas: 25_600 }

/** CPU of turning a stream of speech events into PCM, without a network. */
export const benchCase: BenchCase = {
  name: 'speech-sse',
  description:
    '200 MB of speech from server-sent events in memory: PCM a CPU second, and whether large events cost more',
  async run(context) {
    const rows: BenchRow[] = []
    for (const kilobytes of CHUNKS) rows.push(...(await throughput(context, kilobytes)))
    for (const kilobytes of CHUNKS) rows.push(await linearity(context, kilobytes))
    return rows
  },
}

async function throughput(context: BenchContext, kilobytes: number): Promise<BenchRow[]> {
  const chunks = `${kilobytes} KB chunks`
  const seconds = await decodingSeconds(context, chunks, { ...LONG, chunkBytes: kilobytes * 1024 })
  const speed = (name: DecoderName): number => (LONG.deltaBytes * LONG.deltas) / MB / seconds[name]
  const peers = { 'JSON.parse': speed('JSON.parse'), openai: speed('openai') }
  return (['decoder', 'stream'] as const).flatMap((part) => {
    const ours = speed(part)
    const row = { name: `SSE ${part}, ${chunks}`, unit: 'MB/CPU-s', ours, limit: speed('limit'), peers }
    const [toLimit, toOpenai] = [ours / row.limit, ours / peers.openai]
    return [
      { ...row, ratio: toLimit, ...atLeast('ours/limit', toLimit, 0.6) },
      { ...row, ratio: toOpenai, ...atLeast('ours/openai', toOpenai, 4) },
      { ...row, ratio: null, ...reported('ours ≥ 1,000 MB/CPU-s') },
    ]
  })
}

/** An event twice as large may take twice as long; joining what came so far with every chunk would take four times. */
async function linearity(context: BenchContext, kilobytes: number): Promise<BenchRow> {
  const chunks = `${kilobytes} KB chunks`
  const event = (megabytes: number): Promise<Record<DecoderName, number>> => {
    // Base64 makes four characters of three bytes.
    const shape = { deltaBytes: (megabytes * MB * 3) / 4, deltas: 1, chunkBytes: kilobytes * 1024 }
    return decodingSeconds(context, `an event of ${megabytes} MB, ${chunks}`, shape)
  }
  const { decoder: half } = await event(16)
  const { decoder: ours, limit, openai, 'JSON.parse': parsed } = await event(32)
  return {
    name: `SSE one event of 32 MB, ${chunks}`,
    unit: 'CPU-s',
    ours,
    limit,
    peers: { 'JSON.parse': parsed, openai },
    ratio: ours / half,
    ...atMost('32 MB/16 MB', ours / half, 3),
  }
}
