import { dirname, relative } from 'node:path'
import type { DevEnvironment, EnvironmentModuleNode, HotUpdateOptions, Plugin, Rolldown } from 'vite'
import { copyAudio } from './build/emit.ts'
import { cacheWatchOptions } from './cache-watch-options.ts'
import { checkOptions } from './check-options.ts'
import { checkVite } from './check-vite.ts'
import { DevAudio } from './dev/dev-audio.ts'
import { audioMiddleware } from './dev/middleware.ts'
import { DevNarrations } from './dev/dev-narrations.ts'
import { formatError } from './format-error.ts'
import { updatedModules } from './hot-update.ts'
import { Loader } from './loader.ts'
import { DOCUMENT, MENTIONS_NARRATION, lintCode } from './lint-imports.ts'
import { listModule, LIST_MODULE, resolveList } from './narration-list.ts'
import { htmlPlugin } from './html/html-plugin.ts'
import type { NarrationOptions } from './options.ts'
import { PAGES_MODULE, pagesModule, resolvePages } from './pages/pages-module.ts'
import { NARRATION_IMPORT, NARRATION_MODULE, parseModuleId } from './request/module-id.ts'
import { resolveNarration } from './resolve.ts'
import { Sessions } from './sessions.ts'

/**
 * Narration for a Vite site: `import post from './post.md?narrate'` gives a {@link Narration}. A build makes each audio
 * once and stores it; the dev server makes it when it is first played.
 *
 * @throws ConfigurationError naming the option that is wrong
 * @example
 * export default defineConfig({ plugins: [narration({ voice_id: 'rms' })] })
 */
export function narration(options: NarrationOptions): Plugin[] {
  checkOptions(options)
  const sessions = new Sessions(options)
  const narrations = new DevNarrations()
  const loader = new Loader(options, sessions, narrations)
  return [mainPlugin(options, sessions, narrations, loader), ...htmlPlugin(sessions, loader)]
}

function mainPlugin(options: NarrationOptions, sessions: Sessions, narrations: DevNarrations, loader: Loader): Plugin {
  return {
    name: 'svc-audio:narration',
    // Before Vite's own plugins: a .txt is an asset to them.
    enforce: 'pre',
    // One instance for all environments of a build, so that they share the limit on calls.
    sharedDuringBuild: true,

    config(config) {
      checkVite()
      // The player is one module without dependencies. Optimizing it when a page first asks for it reloads that page.
      const optimizeDeps = { exclude: ['@svc-audio/vite-plugin/player'] }
      return { optimizeDeps, ...cacheWatchOptions(options.cacheDir, config) }
    },

    configResolved(config) {
      checkVite(config)
    },

    configureServer(server) {
      const audio = new DevAudio(server, narrations, () => sessions.of(server.environments.client))
      server.middlewares.use(audioMiddleware(server.config.base, audio))
    },

    // Before the Markdown plugins, which take every id that ends in `.md?…` for their own.
    resolveId: {
      order: 'pre',
      filter: { id: [NARRATION_IMPORT, LIST_MODULE, PAGES_MODULE] },
      handler(source, importer) {
        return resolveList(source) ?? resolvePages(source) ?? resolveNarration(this, source, importer)
      },
    },

    load: {
      order: 'pre',
      filter: { id: [NARRATION_MODULE, LIST_MODULE, PAGES_MODULE] },
      async handler(id) {
        if (LIST_MODULE.test(id)) return js(listModule(options))
        if (PAGES_MODULE.test(id)) return js(pagesModule(options))
        // `this.error` keeps the id of the module; a bare throw would lose it.
        const { root } = this.environment.config
        return js(await loader.load(this, id).catch((error: unknown) => this.error(failureOf(error, id, root))))
      },
    },

    transform: {
      order: 'pre',
      filter: { id: { exclude: DOCUMENT }, code: MENTIONS_NARRATION },
      handler(code, id) {
        const wrong = lintCode(code)
        if (wrong !== undefined) this.error({ id, message: `${relative(this.environment.config.root, id)}: ${wrong}` })
      },
    },

    hotUpdate(update) {
      return updateOf(this.environment, update, sessions, loader)
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
      const build = sessions.find(this.environment)?.build
      const copies = build?.copies ?? []
      const folder = dir ?? (file === undefined ? undefined : dirname(file))
      if (folder !== undefined) copyAudio(copies, folder, bundle)
      await build?.collect(this.environment)
    },

    // An app may build some of its environments. Vite 6 has no such hook, and collects after the last environment only.
    buildApp: { order: 'post', handler: () => sessions.collector.collect() },

    // The bundler would name this plugin as slow. The time went into calls, and the table of the build tells them.
    onLog: (_, { code }) => (code === 'PLUGIN_TIMINGS' && sessions.hasCalled ? false : null),

    closeBundle() {
      return sessions.end(this.environment)
    },
  }
}

function failureOf(error: unknown, id: string, root: string): { id: string; message: string } {
  const file = parseModuleId(id)?.file ?? id
  return { id: file, message: formatError(error, relative(root, file)) }
}

/** Modules that an edit updates: those of an edited recording, or of an edited source; `undefined` for other files. */
async function updateOf(
  environment: DevEnvironment,
  update: HotUpdateOptions,
  sessions: Sessions,
  loader: Loader,
): Promise<EnvironmentModuleNode[] | undefined> {
  const { texts, recordings } = sessions.find(environment) ?? {}
  const played = [...(recordings ?? [])].flatMap(([id, file]) => (file === update.file ? [id] : []))
  if (played.length > 0) return [...update.modules, ...loadedModules(environment, played)]
  const ofFile = [...(texts?.keys() ?? [])].filter((id) => parseModuleId(id)?.file === update.file)
  const narrations = loadedModules(environment, ofFile)
  if (update.type !== 'update' || narrations.length === 0) return undefined
  return updatedModules(update, narrations, (id, content) => loader.isSame(environment, id, content))
}

function loadedModules(environment: DevEnvironment, ids: readonly string[]): EnvironmentModuleNode[] {
  return ids.flatMap((id) => environment.moduleGraph.getModuleById(id) ?? [])
}

function js(code: string): { code: string; moduleType: 'js'; moduleSideEffects: false; map: null } {
  return { code, moduleType: 'js', moduleSideEffects: false, map: null }
}

function* codeOfAll(chunks: Readonly<Record<string, Rolldown.RenderedChunk>>): Generator<string, void, undefined> {
  for (const { modules } of Object.values(chunks)) {
    for (const { code } of Object.values(modules)) if (code !== null) yield code
  }
}
