import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import {
  Application,
  LogLevel,
  type ProjectReflection,
  type Reflection,
  ReflectionKind,
  type TypeDocOptions,
} from 'typedoc'
import type { PluginOptions } from 'typedoc-plugin-markdown'

/** Form of the pages. */
const PAGES: Partial<PluginOptions> = {
  outputFileStrategy: 'members',
  hideBreadcrumbs: true,
  hidePageHeader: true,
  entryFileName: 'index',
  useCodeBlocks: true,
  expandObjects: false,
  parametersFormat: 'table',
  propertiesFormat: 'table',
  interfacePropertiesFormat: 'table',
  classPropertiesFormat: 'table',
  typeDeclarationFormat: 'table',
  enumMembersFormat: 'table',
}

/** What needs a docstring. A setter says what its getter says. */
const DOCUMENTED: NonNullable<TypeDocOptions['requiredToBeDocumented']> = [
  'Class',
  'Enum',
  'EnumMember',
  'Function',
  'GetSignature',
  'Interface',
  'Method',
  'Property',
  'TypeAlias',
  'Variable',
]

/**
 * Writes the reference of every package as Markdown pages.
 *
 * @param root Root of the repository
 * @param out Folder of the pages: `<out>/<package>/…`
 * @throws Error after the warnings of typedoc: a member without a word, a type that no entry exports, a link that leads nowhere
 */
export async function writeApiReference(root: string, out: string): Promise<void> {
  const entries = apiEntries(root)
  for (const entry of entries) {
    const { app, project } = await readDocstrings(entry, entries, join(out, entry.route))
    await app.generateOutputs(project)
  }
}

/**
 * Checks the docstrings of every package, and writes nothing.
 * @throws Error as {@link writeApiReference}
 */
export async function checkDocstrings(root: string): Promise<void> {
  const entries = apiEntries(root)
  for (const entry of entries) await readDocstrings(entry, entries)
}

/** Reads and checks one package. @param out Folder of its pages */
async function readDocstrings(
  { title, entries, tsconfig, unnamed }: ApiEntry,
  all: readonly ApiEntry[],
  out = '',
): Promise<{ readonly app: Application; readonly project: ProjectReflection }> {
  const options: Partial<PluginOptions> = PAGES
  const app = await Application.bootstrapWithPlugins({
    name: title,
    plugin: ['typedoc-plugin-markdown'],
    entryPoints: [...entries],
    tsconfig,
    out,
    readme: 'none',
    disableSources: true,
    excludePrivate: true,
    excludeInternal: true,
    // Members of `Error` and of Node's types.
    excludeExternals: true,
    // The build of the packages has checked the types.
    skipErrorChecking: true,
    excludeProtected: true,
    intentionallyNotExported: [...unnamed],
    // A link to a type of another package leads to the reference of that package.
    externalSymbolLinkMappings: Object.fromEntries(
      all.filter((other) => other.title !== title).map((other) => [other.title, { '*': `/api/${other.route}/` }]),
    ),
    validation: { notExported: true, invalidLink: true, notDocumented: true },
    requiredToBeDocumented: DOCUMENTED,
    logLevel: LogLevel.Warn,
    ...options,
  })
  const project = await app.convert()
  if (project === undefined) throw new Error(`typedoc cannot read ${title}`)
  app.options.setValue('intentionallyNotDocumented', tagsOf(project))
  app.validate(project)
  if (app.logger.hasWarnings()) throw new Error(`The docstrings of ${title} have the faults above`)
  return { app, project }
}

/** Tags of unions such as `type: 'pause'`: the value says what it means, and the docstring of the member says the rest. */
function tagsOf(project: ProjectReflection): string[] {
  const tags = project
    .getReflectionsByKind(ReflectionKind.Property)
    .filter((one) => one.isDeclaration() && one.type?.type === 'literal' && !one.hasComment())
    .filter((one) => one.parent?.kindOf(ReflectionKind.TypeLiteral) === true && !isInParameter(one))
    // Other packages document theirs.
    .filter((one) => project.getSymbolIdFromReflection(one)?.packageName === project.packageName)
  return [...new Set(tags.map((one) => one.getFriendlyFullName()))]
}

function isInParameter({ parent }: Reflection): boolean {
  return parent !== undefined && (parent.kindOf(ReflectionKind.Parameter) || isInParameter(parent))
}

/** A package, or a part of one, whose docstrings are a reference on the site. */
interface ApiEntry {
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
  '@svc-audio/agent-tools': ['OptionRule', 'OptionRules'],
  '@svc-audio/core': [
    'Without',
    'StreamOnly',
    'Shared',
    'Named',
    'Diarizing',
    'TranscriptionResult',
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
    'PcmSource',
  ],
  '@svc-audio/mcp': ['AUDIO_OUTPUTS'],
  '@svc-audio/nestjs': ['Source'],
  '@svc-audio/testing': ['ROUTES'],
  '@svc-audio/upload': ['ValueFault', 'Excluded', 'Defined', 'CheckedHandlerOptions', 'FrameworkUploadOptions'],
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
