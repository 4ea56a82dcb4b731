import { dirname, relative, resolve } from 'node:path'
import { ConfigurationError } from '@svc-audio/core'
import * as vite from 'vite'
import { audioMiddleware, DevAudio, DevNarrations } from './dev/dev-audio.ts'
import { outputOf } from './build/output.ts'
import { EXIT_CODES, exitCodeOf, formatError, noteExitCode } from './errors.ts'
import { htmlPlugin } from './html/html-plugin.ts'
import { Loader } from './loader.ts'
import { emptyGlobs, IMPORTS, MODULES, parseModuleId, resolveModule, SITE_MODULES, siteModule } from './modules.ts'
import { LocalService } from './narrator/narrator.ts'
import { checkOptions, localServiceFolder, type NarrationOptions } from './options.ts'
import { Sessions } from './sessions.ts'

/** The oldest Vite that the plugin works with. */
const OLDEST_VITE = [6, 3] as const
/** Uses of a narration as a file. Vite would inline the Markdown itself as a `data:` address. */
const NEW_URL = /\bnew\s+URL\s*\(\s*(["'`])([^"'`\n]*?[?&]narrate[^"'`\n]*)\1\s*,\s*import\.meta\.url/
/** Code that may hold such a use. */
const MENTIONS_NARRATION = /[?&]narrate/
/** Pages that a framework compiles. Their text may quote the call without making it. */
const DOCUMENT = /\.(?:md|mdx|mdoc|svx|markdown|html?|txt)(?:\?|$)/

/**
 * Narration for a Vite site: `import post from './post.md?narrate'` gives a {@link Narration}. A build makes each audio
 * once and stores it; the dev server makes it when it is first played.
 *
 * @throws ConfigurationError naming the option that is wrong
 * @example
 * export default defineConfig({ plugins: [narration({ voice_id: 'rms' })] })
 */
export function narration(options: NarrationOptions): vite.Plugin[] {
  checkOptions(options)
  const local = options.service === undefined ? undefined : new LocalService()
  const sessions = new Sessions(options, local)
  const narrations = new DevNarrations()
  const loader = new Loader(options, sessions, narrations, local)
  return [
    mainPlugin({ options, local, sessions, narrations, loader }),
    globPlugin(options),
    ...htmlPlugin(sessions, loader),
  ]
}

/** The parts of a plugin. */
interface Parts {
  readonly options: NarrationOptions
  readonly local: LocalService | undefined
  readonly sessions: Sessions
  readonly narrations: DevNarrations
  readonly loader: Loader
}

function mainPlugin({ options, local, sessions, narrations, loader }: Parts): vite.Plugin {
  return {
    name: 'svc-audio:narration',
    // Before Vite's own plugins: a .txt is an asset to them.
    enforce: 'pre',
    // One instance for all environments of a build, so that they share the limit on calls.
    sharedDuringBuild: true,

    config(config, { command }) {
      checkVite()
      // The player is one module without dependencies. Optimizing it when a page first asks for it reloads that page.
      const optimizeDeps = { exclude: ['@svc-audio/vite-plugin/player'] }
      return { optimizeDeps, ...libraryBase(config, command), ...cacheWatchOptions(options.cacheDir, config) }
    },

    configResolved(config) {
      checkVite(config)
      const { say } = outputOf(config)
      local?.find(config.root, localServiceFolder(config), (line) => say(line, true))
    },

    configureServer(server) {
      loader.watchWith(server.watcher)
      const audio = new DevAudio(server, narrations, () => sessions.of(server.environments.client))
      server.middlewares.use(audioMiddleware(server.config.base, audio))
    },

    // Before the Markdown plugins, which take every id that ends in `.md?…` for their own.
    resolveId: {
      order: 'pre',
      filter: { id: IMPORTS },
      handler(source, importer) {
        return resolveModule(this, source, importer)
      },
    },

    load: {
      order: 'pre',
      filter: { id: MODULES },
      async handler(id) {
        const code = siteModule(id, options) ?? (await loader.load(this, id).catch((error) => fail(this, id, error)))
        return { code, moduleType: 'js', moduleSideEffects: false, map: null }
      },
    },

    transform: {
      order: 'pre',
      filter: { id: { exclude: DOCUMENT }, code: MENTIONS_NARRATION },
      handler(code, id) {
        const wrong = lintCode(code)
        if (wrong === undefined) return
        if (this.environment.mode === 'build') noteExitCode(EXIT_CODES.text)
        this.error({ id, message: `${relative(this.environment.config.root, id)}: ${wrong}` })
      },
    },

    hotUpdate(update) {
      return loader.updated(this.environment, update)
    },

    renderStart() {
      sessions.find(this.environment)?.build.begin(this.environment)
    },

    async renderChunk(code, chunk, _, meta) {
      const build = sessions.find(this.environment)?.build
      const filled = await build?.fill(this, code, () => codeOfAll(meta?.chunks ?? { [chunk.fileName]: chunk }))
      // Values stand where placeholders stood, in the same lines.
      return filled === undefined ? null : { code: filled, map: null }
    },

    async writeBundle({ dir, file }, bundle) {
      const folder = dir ?? (file === undefined ? undefined : dirname(file))
      await sessions.find(this.environment)?.build.written(this.environment, folder, bundle)
    },

    // An app may build some of its environments. Vite 6 has no such hook, and collects after the last environment only.
    buildApp: { order: 'post', handler: () => sessions.builds.collect() },

    // The bundler would name this plugin as slow. The time went into calls, and the table of the build tells them.
    onLog: (_, { code }) => (code === 'PLUGIN_TIMINGS' && sessions.builds.hasCalled ? false : null),

    closeBundle() {
      return sessions.end(this.environment)
    },
  }
}

/** Tells which globs find no file: an option with a wrong folder would narrate nothing, and say nothing. */
function globPlugin(options: NarrationOptions): vite.Plugin {
  const told = new Set<string>()
  return {
    name: 'svc-audio:narration-globs',
    // After Vite has resolved the globs.
    enforce: 'post',
    sharedDuringBuild: true,
    transform: {
      filter: { id: SITE_MODULES },
      handler(code, id) {
        const { logger, config } = this.environment
        for (const glob of emptyGlobs(id, code, options)) {
          // Frameworks build for the client and for the server.
          if (told.has(glob)) continue
          told.add(glob)
          logger.warn(`narration: ${glob} finds no file in ${config.root}. Globs begin at Vite's root`)
        }
      },
    },
  }
}

/** Fails the load of a module. `this.error` keeps the id of the module; a bare throw would lose it. */
function fail(context: vite.Rolldown.PluginContext, id: string, error: unknown): never {
  const { mode, config } = context.environment
  const file = parseModuleId(id)?.file ?? id
  if (mode === 'build') noteExitCode(exitCodeOf(error))
  return context.error({ id: file, message: formatError(error, relative(config.root, file)) })
}

function* codeOfAll(chunks: Readonly<Record<string, vite.Rolldown.RenderedChunk>>): Generator<string, void, undefined> {
  for (const { modules } of Object.values(chunks)) {
    for (const { code } of Object.values(modules)) if (code !== null) yield code
  }
}

/** What is wrong with code that asks for a narration by `new URL()`, and what to write; `undefined` when nothing is. */
export function lintCode(code: string): string | undefined {
  const [call, , address = ''] = NEW_URL.exec(code) ?? []
  if (call === undefined) return undefined
  return (
    `new URL('${address}', import.meta.url) gives the text, not its audio. ` +
    `Write: import post from '${address}' and use post.src`
  )
}

/**
 * Checks that the host is a Vite this plugin works with.
 * @param config The host's config. A site may have a second Vite, as VitePress 1 brings its own.
 * @throws ConfigurationError naming the version
 */
export function checkVite(config?: object): void {
  const [major = 0, minor = 0] = vite.version.split('.').map(Number)
  const isOld = major < OLDEST_VITE[0] || (major === OLDEST_VITE[0] && minor < OLDEST_VITE[1])
  // Environments came with Vite 6.
  const hostIsOld = config !== undefined && !('environments' in config)
  if (!isOld && !hostIsOld) return
  const found = isOld ? `this is Vite ${vite.version}` : 'this site runs on Vite 5 or older'
  throw new ConfigurationError(
    `@svc-audio/vite-plugin needs Vite ${OLDEST_VITE.join('.')} or later, and ${found}. VitePress 1 brings Vite 5: use VitePress 2`,
  )
}

/**
 * A library names its audio relative to its own files: a consumer has it at no path from its root. Vite inlines the other
 * assets of a library, and so no `base` is missed.
 */
export function libraryBase({ base, build }: vite.UserConfig, command: 'build' | 'serve'): vite.UserConfig | undefined {
  return command === 'build' && base === undefined && build?.lib ? { base: './' } : undefined
}

/**
 * Keeps the dev server from watching a cache inside the site: each finished audio would count as an edit. The default
 * folder needs nothing, since Vite never watches `node_modules`.
 */
export function cacheWatchOptions(cacheDir: string | undefined, config: vite.UserConfig): vite.UserConfig | undefined {
  // `watch: null` turns watching off, and merging would turn it on again.
  if (cacheDir === undefined || config.server?.watch === null) return undefined
  const folder = vite.normalizePath(resolve(config.root ?? '.', cacheDir))
  return { server: { watch: { ignored: [`${folder.replace(/[()[\]{}*?!+@|]/g, String.raw`\$&`)}/**`] } } }
}
