import { join } from 'node:path'
import { Application, LogLevel } from 'typedoc'
import type { PluginOptions } from 'typedoc-plugin-markdown'

/** A package entry whose docstrings are a reference on the site. */
interface ApiEntry {
  /** Package name. */
  readonly title: string
  /** Folder of the package, from the root of the repository. */
  readonly folder: string
  /** Source files of its entries, from the folder. */
  readonly entries: readonly string[]
  /** Names of types that signatures use and no entry exports. */
  readonly unnamed: readonly string[]
}

/** The packages with a reference. */
export const API_ENTRIES: readonly ApiEntry[] = [
  {
    title: '@svc-audio/core',
    folder: 'packages/core',
    entries: [
      'src/index.ts',
      'src/interface.ts',
      'src/text/index.ts',
      'src/streaming/index.ts',
      'src/subtitles/index.ts',
      'src/webhooks/index.ts',
      'src/pure.ts',
    ],
    // Parts of other types. Nobody names them, and the types that use them say what they mean.
    unnamed: [
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
  },
  { title: '@svc-audio/options', folder: 'packages/options', entries: ['src/index.ts'], unnamed: [] },
  { title: '@svc-audio/text', folder: 'packages/text', entries: ['src/index.ts'], unnamed: [] },
  {
    title: '@svc-audio/express-middleware',
    folder: 'packages/express-middleware',
    entries: ['src/index.ts'],
    unnamed: [],
  },
  { title: '@svc-audio/fastify', folder: 'packages/fastify', entries: ['src/index.ts'], unnamed: [] },
  { title: '@svc-audio/hono', folder: 'packages/hono', entries: ['src/index.ts'], unnamed: [] },
]

/**
 * Writes the reference of every package as Markdown pages.
 *
 * @param root Root of the repository
 * @param out Folder of the pages: `<out>/<package>/…`
 * @throws Error after the warnings of typedoc: a member without a word, a type that no entry exports, a link that leads nowhere
 */
export async function writeApiReference(root: string, out: string): Promise<void> {
  for (const { title, folder, entries, unnamed } of API_ENTRIES) {
    const options: Partial<PluginOptions> = {
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
    const app = await Application.bootstrapWithPlugins({
      name: title,
      plugin: ['typedoc-plugin-markdown'],
      entryPoints: entries.map((entry) => join(root, folder, entry)),
      tsconfig: join(root, folder, 'tsconfig.json'),
      out: join(out, folder.replace('packages/', '')),
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
      validation: { notExported: true, invalidLink: true, notDocumented: true },
      logLevel: LogLevel.Warn,
      ...options,
    })
    const project = await app.convert()
    if (project === undefined) throw new Error(`typedoc cannot read ${title}`)
    app.validate(project)
    if (app.logger.hasWarnings()) throw new Error(`The docstrings of ${title} have the faults above`)
    await app.generateOutputs(project)
  }
}
