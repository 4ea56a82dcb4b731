import { cp, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { cleanProject, type CleanProject, output } from '@svc-audio/kit/hosts'

/** The documentation of Next.js is a part of its package: 308 pages of MDX without those of the older router. */
const SOURCE = { package: 'next', version: '16.4.6', folder: 'dist/docs', omit: /docs\/02-pages(?:\/|$)/ }

const CONFIG = `
import { narration } from '@svc-audio/vite-plugin'

const { PAGES: pages = 'docs/**/*.md', NARRATION_CONCURRENCY: concurrency = '2' } = process.env

export default {
  logLevel: 'warn',
  plugins: [
    narration({
      voice_id: 'rms',
      pages,
      extensions: { '.md': 'mdx' },
      maxCharacters: 2_000_000,
      pricePerMillion: 15,
      concurrency: Number(concurrency),
    }),
  ],
}
`
const BUILD = `
import { build } from 'vite'

const began = performance.now()
await build()
const seconds = (performance.now() - began) / 1000
console.log(JSON.stringify({ seconds, megabytes: process.resourceUsage().maxRSS / 1024 }))
`
const HTML = `<script type="module">
import { narrationFor } from 'virtual:narrations/pages'
window.narrationFor = narrationFor
</script>
`

/** A cue of a built page: what a reader sees at once. */
export interface ShownCue {
  readonly startSecond: number
  readonly endSecond: number
  readonly lines: readonly string[]
}

/** What a build printed, and what it took. */
export interface SiteBuild {
  readonly printed: string
  readonly pages: number
  readonly calls: number
  readonly characters: number
  readonly seconds: number
  /** The most memory that the build had. */
  readonly megabytes: number
}

/** A site of 308 real pages, outside the workspace. */
export class WholeSite implements AsyncDisposable {
  readonly #project: CleanProject

  private constructor(project: CleanProject) {
    this.#project = project
  }

  static async create(): Promise<WholeSite> {
    const project = await cleanProject({
      packages: ['@svc-audio/vite-plugin'],
      manifest: { type: 'module' },
      dependencies: { vite: '^8.3.8' },
    })
    // Its pages are wanted, not the framework.
    const { folder } = project
    const named = `${SOURCE.package}@${SOURCE.version}`
    const [tarball = ''] = (await output('npm', ['pack', '--silent', named], { cwd: folder })).trim().split('\n')
    await output('tar', ['xzf', tarball, `package/${SOURCE.folder}`], { cwd: folder })
    const from = join(folder, 'package', SOURCE.folder)
    const filter = (path: string): boolean => !SOURCE.omit.test(path)
    await cp(from, join(project.folder, 'docs'), { recursive: true, filter })
    const files = { 'vite.config.mjs': CONFIG, 'build.mjs': BUILD, 'index.html': HTML }
    for (const [name, content] of Object.entries(files)) await writeFile(join(project.folder, name), content)
    return new WholeSite(project)
  }

  /** Builds the site. @throws Error with what the build printed */
  async build(env: Readonly<Record<string, string>>): Promise<SiteBuild> {
    const { exitCode, stdout, stderr } = await this.#project.run('node', ['build.mjs'], { NODE_ENV: '', ...env })
    if (exitCode !== 0) throw new Error(`The build failed:\n${`${stdout}\n${stderr}`.slice(-4000)}`)
    const took = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as { seconds: number; megabytes: number }
    const printed = stdout + stderr
    const [, pages, calls, characters] =
      /narration: ([\d,]+) pages, ([\d,]+) calls, ([\d,]+) characters/.exec(printed)?.map(toNumber) ?? []
    return { printed, pages: pages ?? 0, calls: calls ?? 0, characters: characters ?? 0, ...took }
  }

  /** Audio and captions of the built site: names and sizes. */
  async assets(ending: string): Promise<ReadonlyMap<string, Buffer>> {
    const folder = join(this.#project.folder, 'dist/assets')
    const names = (await readdir(folder)).filter((name) => name.endsWith(ending)).toSorted()
    const files = new Map<string, Buffer>()
    for (const name of names) files.set(name, await readFile(join(folder, name)))
    return files
  }

  /** The cues of each page, by the name of their file. */
  async cues(): Promise<ReadonlyMap<string, readonly ShownCue[]>> {
    const files = await this.assets('.vtt')
    return new Map([...files].map(([name, bytes]) => [name, cuesOf(bytes.toString())]))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#project[Symbol.asyncDispose]()
  }
}

/** The cues of WebVTT, with their lines as they are written. */
export function cuesOf(vtt: string): ShownCue[] {
  return vtt.split(/\n{2,}/).flatMap((block) => {
    const lines = block.trim().split('\n')
    const at = lines.findIndex((line) => line.includes(' --> '))
    const [start, end] = lines[at]?.split(' --> ').map(toSeconds) ?? []
    if (start === undefined || end === undefined) return []
    return [{ startSecond: start, endSecond: end, lines: lines.slice(at + 1).map(plain) }]
  })
}

/** A line as a reader sees it. WebVTT escapes these three. */
const plain = (line: string): string => line.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
const toSeconds = (time: string): number => time.split(':').reduce((sum, part) => sum * 60 + Number(part), 0)
const toNumber = (text: string): number => Number(text.replaceAll(',', ''))
