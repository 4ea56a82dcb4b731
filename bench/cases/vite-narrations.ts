import { copyFile, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { audioBytes, createTestUpstream, speechAudio } from '@svc-audio/testing'
import { buildNarrated } from '../contestants/vite-narrations.ts'
import {
  atMost,
  type BenchCase,
  type BenchContext,
  type BenchRow,
  KB,
  MB,
  medians,
  reported,
  rounds,
  type Verdict,
} from '../harness/bench-case.ts'
import { measure } from '../harness/processes.ts'

const CONTESTANTS = new URL('../contestants/vite-narrations.ts', import.meta.url)
const POSTS = 200
/** Memory limit of a build that copies large files. */
const COPY_MB = 300

/** The plugin, with the audio in the bundle and copied; static files, and static files with modules. */
type Builder = 'bundle' | 'copy' | 'static' | 'modules'

interface Cost {
  readonly cpuSeconds: number
  readonly peakBytes: number
}

/** CPU and memory of a warm build with narrations. */
export const benchCase: BenchCase = {
  name: 'vite-narrations',
  description: 'a warm build of 200 narrations against the same files as static assets; 200 large ones with emit: copy',
  async run(context) {
    const small = await makeSites(join(context.folder, 'small'), POSTS, 200 * KB)
    const costs = await rounds(context, ['bundle', 'copy', 'static', 'modules'], 7, (name) =>
      built(context, small, name),
    )
    // `VITE_BENCH_MB` sets a smaller file size, to save time or disk.
    const megabytes = Number(process.env['VITE_BENCH_MB'] ?? 5)
    const large = await makeSites(join(context.folder, 'large'), POSTS, megabytes * MB)
    context.progress(`${POSTS} files of ${megabytes} MB, copied`)
    const copied = await measure(context, CONTESTANTS, 'copy', { root: large.narrated })
    return [...warmRows(costs), copyRow(copied, megabytes)]
  },
}

async function built(context: BenchContext, sites: Sites, name: Builder): Promise<Cost> {
  return name === 'bundle' || name === 'copy'
    ? measure(context, CONTESTANTS, name, { root: sites.narrated })
    : measure(context, CONTESTANTS, 'static', { root: sites[name] })
}

/** Most CPU of a build that copies, beside static files with a module for each post. */
const MOST_CPU = 1.25
/** Most memory of a build that copies, beside static files. */
const MOST_MEMORY = 1.05

/**
 * Each way of emitting against the same files as static assets. `bundle` is only reported: Vite reads static assets in
 * native code, which a plugin cannot do. CPU is compared with a site that has a module for each post, as a narration has.
 */
function warmRows(costs: Record<Builder, Cost[]>): BenchRow[] {
  const cpu = medians(costs, ({ cpuSeconds }) => cpuSeconds)
  const peak = medians(costs, ({ peakBytes }) => peakBytes / MB)
  return (['bundle', 'copy'] as const).flatMap((emit) => {
    const gated = (what: string, ratio: number, most: number): Verdict =>
      emit === 'copy' ? atMost(what, ratio, most) : reported(what)
    const row = (
      what: string,
      unit: string,
      values: Record<Builder, number>,
    ): Omit<BenchRow, 'ratio' | keyof Verdict> => ({
      name: `warm build of ${POSTS} narrations, emit: ${emit}, ${what}`,
      unit,
      ours: values[emit],
      limit: values.static,
      peers: { 'static with modules': values.modules },
    })
    const [processor, memory] = [cpu[emit] / cpu.modules, peak[emit] / peak.static]
    return [
      { ...row('CPU', 's', cpu), ratio: processor, ...gated('ours/static with modules', processor, MOST_CPU) },
      { ...row('peak memory', 'MB', peak), ratio: memory, ...gated('ours/limit', memory, MOST_MEMORY) },
    ]
  })
}

function copyRow({ peakBytes }: Cost, megabytes: number): BenchRow {
  const ours = peakBytes / MB
  const name = `build of 200 narrations of ${megabytes} MB with emit: copy, peak memory`
  return { name, unit: 'MB', ours, limit: null, peers: {}, ratio: null, ...atMost('ours', ours, COPY_MB, ' MB') }
}

/** Paragraphs of a post. */
const PARAGRAPHS = 5
/** Approximate bytes of a second of the test audio. */
const BYTES_PER_SECOND = 16_500

/** Sites in a folder with the same audio. */
interface Sites {
  /** Posts and a full cache. */
  readonly narrated: string
  /** The audio and the captions as static files. */
  readonly static: string
  /** The same static files, and for each post a module written by hand with what a narration says besides. */
  readonly modules: string
}

/**
 * Creates the sites. All audio is cached afterwards.
 * @param posts Number of posts.
 * @param bytes Approximate size of the audio of each.
 */
async function makeSites(folder: string, posts: number, bytes: number): Promise<Sites> {
  const narrated = join(folder, 'narrated')
  const fixed = join(folder, 'static')
  const modules = join(folder, 'modules')
  await mkdir(join(narrated, 'posts'), { recursive: true })
  await mkdir(join(fixed, 'audio'), { recursive: true })
  await mkdir(join(modules, 'posts'), { recursive: true })
  for (let post = 0; post < posts; post += 1) {
    const paragraphs = Array.from(
      { length: PARAGRAPHS },
      (_, index) => `Paragraph ${index} of the post ${post}, with words.`,
    )
    await writeFile(join(narrated, `posts/${post}.md`), `${paragraphs.join('\n\n')}\n`)
  }
  const glob = (pattern: string, query: string): string =>
    `console.log(import.meta.glob('${pattern}', { query: '${query}', import: 'default', eager: true }))`
  await writeFile(join(narrated, 'main.js'), glob('./posts/*.md', '?narrate'))
  await writeFile(join(fixed, 'main.js'), glob('./audio/*', '?url'))
  await writeFile(join(modules, 'main.js'), glob('./posts/*.js', ''))

  const piece = speechAudio('mp3', bytes / PARAGRAPHS / BYTES_PER_SECOND)
  if (piece === undefined) throw new Error('There is no test audio')
  let calls = 0
  await using upstream = await createTestUpstream()
  upstream.on('POST /v1/audio/speech', async (exchange) => {
    await exchange.received()
    calls += 1
    return audioBytes(numbered(piece.bytes, calls), piece.contentType)
  })
  await buildNarrated(narrated, { apiKey: upstream.apiKey, baseUrl: upstream.url, emit: 'copy' })
  const assets = join(narrated, 'dist/assets')
  for (const name of await readdir(assets)) {
    if (!name.endsWith('.js')) await copyFile(join(assets, name), join(fixed, 'audio', name))
  }
  await writeModules(modules, narrated, await readdir(assets))
  return { narrated, static: fixed, modules }
}

/** Writes the modules that a user without the plugin would write. */
async function writeModules(folder: string, narrated: string, assets: readonly string[]): Promise<void> {
  await symlink('../static/audio', join(folder, 'audio'))
  for (const audio of assets.filter((name) => name.endsWith('.mp3'))) {
    const [post = ''] = audio.split('-', 1)
    const captions = assets.find((name) => name.startsWith(`${post}-`) && name.endsWith('.vtt')) ?? ''
    const text = (await readFile(join(narrated, `posts/${post}.md`), 'utf8')).trim()
    const facts = { type: 'audio/mpeg', durationSeconds: 12.5, bytes: 226_014, characters: text.length, text }
    const lines = [
      `import src from '../audio/${audio}?url'`,
      `import captions from '../audio/${captions}?url'`,
      ...Object.entries({ ...facts, sections: [] }).map(
        ([name, value]) => `export const ${name} = ${JSON.stringify(value)}`,
      ),
      'export default { src, captions, type, durationSeconds, bytes, characters, sections }',
    ]
    await writeFile(join(folder, `posts/${post}.js`), `${lines.join('\n')}\n`)
  }
}

/**
 * A copy of an MP3 that differs from every other: the number stands in the private bits of its frames, which no player
 * reads. Equal files would be one asset.
 */
function numbered(mp3: Uint8Array, number: number): Buffer {
  const copy = Buffer.from(mp3)
  const header = copy.subarray(0, 2)
  let at = 0
  for (let rest = number; rest > 0; rest = Math.floor(rest / 2)) {
    at = copy.indexOf(header, at + 1)
    const byte = copy[at + 2]
    if (at === -1 || byte === undefined) throw new Error('The test audio is too short to number')
    copy[at + 2] = byte | (rest % 2)
  }
  return copy
}
