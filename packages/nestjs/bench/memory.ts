// Peak memory of a Nest app for uploads in a row, beside a bare pipe of busboy and undici under the same flags, on Linux.
// Build first. Usage: node packages/nestjs/bench/memory.ts [--megabytes 512] [--uploads 10] [--nodes 22,24,26]
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { nodeBinary, type NodeMajor, start } from '@svc-audio/kit/hosts'
import { createTestUpstream, longUpload } from '@svc-audio/testing'

/** Maximum memory, as a multiple of the bare pipe's. */
const MAX_RATIO = 1.15
const MB = 1_000_000
const OURS = fileURLToPath(new URL('../test/support/memory-app.js', import.meta.url))
const PIPE = fileURLToPath(new URL('pipe-app.js', import.meta.url))

const { values } = parseArgs({
  options: {
    megabytes: { type: 'string', default: '512' },
    uploads: { type: 'string', default: '10' },
    nodes: { type: 'string', default: '22,24,26' },
  },
})
const [megabytes, uploads] = [Number(values.megabytes), Number(values.uploads)]
const nodes = values.nodes.split(',').map((major): NodeMajor => (major === '22' ? 22 : major === '24' ? 24 : 26))

/** Peak of the app's process after each upload, in MB. */
async function peaks(app: string, platform: string, node: string): Promise<number[]> {
  await using upstream = await createTestUpstream({ apiKey: 'key' })
  const cwd = fileURLToPath(new URL('..', import.meta.url))
  await using running = await start(node, [app, platform, upstream.url], { cwd, node, ready: /(http:\S+)\n/ })
  const all: number[] = []
  for (let count = 0; count < uploads; count += 1) {
    const { status, body } = await longUpload(`${running.match[1]}/transcribe`, megabytes * MB)
    if (status !== 201) throw new Error(`${app} answered ${status}: ${JSON.stringify(body)}`)
    const peak: unknown = Reflect.get(Object(body), 'peakBytes')
    all.push(Math.round(Number(peak) / MB))
  }
  return all
}

for (const major of nodes) {
  const node = await nodeBinary(major)
  const pipe = await peaks(PIPE, 'Express', node)
  for (const platform of ['Express', 'Fastify']) {
    const ours = await peaks(OURS, platform, node)
    const [first, last, bare] = [ours.at(0) ?? 0, ours.at(-1) ?? 0, pipe.at(-1) ?? 0]
    const ratio = last / bare
    if (ratio > MAX_RATIO) process.exitCode = 1
    console.log(
      `Node ${major}, Nest on ${platform}, ${uploads} uploads of ${megabytes} MB: ` +
        `${first} MB after the first, ${last} MB after the last; bare pipe ${bare} MB; ratio ${ratio.toFixed(2)}${ratio > MAX_RATIO ? `, over ${MAX_RATIO}` : ''}`,
    )
  }
}
