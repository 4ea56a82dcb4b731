import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** A package, or a part of one, whose docstrings are a reference on the site. */
export interface ApiEntry {
  /** Name of the package, with the part. */
  readonly title: string
  /** Folder of its pages in the reference. */
  readonly route: string
  /** Source files of its entries. */
  readonly entries: readonly string[]
  /** File of the compiler's options. */
  readonly tsconfig: string
  /** Names of types that signatures use and no entry exports. */
  readonly unnamed: readonly string[]
}

/** Names of types that signatures use and no entry exports, by package: parts of other types, which say what they mean. */
const UNNAMED: Readonly<Record<string, readonly string[]>> = {
  '@svc-audio/core': [
    'Without',
    'StreamOnly',
    'Shared',
    'Listed',
    'Identified',
    'NamedUpload',
    'PcmValues',
    'SpokenSource',
    'ErrorClass',
    'ClientContext',
    'Outcome',
    'TranscriptionSourceOptions',
    'ApiResponse',
    'WatchedCall',
  ],
  '@svc-audio/mcp': ['AUDIO_OUTPUTS'],
  '@svc-audio/testing': ['ROUTES'],
}

/** Entries for browsers, by package: they are compiled with the types of pages. */
const BROWSER: Readonly<Record<string, { readonly entry: string; readonly tsconfig: string }>> = {
  '@svc-audio/voice': { entry: 'src/browser/index.ts', tsconfig: 'src/browser/tsconfig.json' },
  '@svc-audio/vite-plugin': { entry: 'player/narration-player.ts', tsconfig: 'player/tsconfig.json' },
}

/** The published packages whose entries have types, with every entry, by name. */
export function apiEntries(root: string): readonly ApiEntry[] {
  return globSync('{apps,engines,kit,packages}/*/package.json', { cwd: root })
    .flatMap((path) => {
      const folder = join(root, dirname(path))
      const manifest: Manifest = JSON.parse(readFileSync(join(root, path), 'utf8'))
      const { name, private: hidden = false, exports = {} } = manifest
      const sources = [...new Set(Object.values(exports).flatMap((target) => sourceOf(target, folder)))]
      const unnamed = UNNAMED[name] ?? []
      if (hidden || sources.length === 0) return []
      const browser = BROWSER[name]
      const entries = sources.filter((source) => source !== browser?.entry)
      const route = path.startsWith('engines/') ? `engine-${basename(folder)}` : basename(folder)
      const whole = { title: name, route, entries: entries.map((source) => join(folder, source)), unnamed }
      if (browser === undefined) return [{ ...whole, tsconfig: join(folder, 'tsconfig.json') }]
      const part = basename(dirname(browser.entry))
      const page = { title: `${name}/${part}`, route: `${route}-${part}`, entries: [join(folder, browser.entry)] }
      return [
        { ...whole, tsconfig: join(folder, 'tsconfig.json') },
        { ...page, tsconfig: join(folder, browser.tsconfig), unnamed: [] },
      ]
    })
    .toSorted((left, right) => left.title.localeCompare(right.title))
}

/** A target of `exports`: a path, or targets by condition. */
type ExportTarget = string | { readonly [condition: string]: ExportTarget }

interface Manifest {
  readonly name: string
  readonly private?: boolean
  readonly exports?: Readonly<Record<string, ExportTarget>>
}

/** The source of an entry, from the folder of its package. Empty for a file that is not compiled. */
function sourceOf(target: ExportTarget, folder: string): readonly string[] {
  if (typeof target !== 'string') {
    const chosen = target['node'] ?? target['import'] ?? target['default']
    return chosen === undefined ? [] : sourceOf(chosen, folder)
  }
  const source = target.replace('./dist/', '').replace(/\.js$/, '.ts')
  return [`src/${source}`, source]
    .filter((path) => source.endsWith('.ts') && existsSync(join(folder, path)))
    .slice(0, 1)
}
