import { relative } from 'node:path'
import type { Plugin } from 'vite'
import { cacheWatchOptions } from './cache-watch-options.ts'
import { DevAudio, type Promised } from './dev/dev-audio.ts'
import { audioMiddleware } from './dev/middleware.ts'
import { explain } from './explain.ts'
import { updatedModules } from './hot-update.ts'
import { Loader } from './loader.ts'
import { MAY_MISUSE, misuseInCode, misuseInHtml } from './misuse.ts'
import { moduleCode } from './module-code.ts'
import type { NarrationOptions } from './options.ts'
import { InvalidNarrationError } from './request/invalid-narration-error.ts'
import { NARRATION_IMPORT, NARRATION_MODULE, parseModuleId } from './request/module-id.ts'
import { resolveNarration } from './resolve.ts'
import { Sessions } from './sessions.ts'
import { checkOptions } from './settings.ts'

/**
 * Narration for a Vite site: `import post from './post.md?narrate'` gives `{ src, type, durationSeconds, text }`. A build
 * makes each audio once and keeps it; the dev server makes it when it is first played.
 *
 * @throws ConfigurationError naming the option that is wrong
 * @example
 * export default defineConfig({ plugins: [narration({ voice_id: 'rms' })] })
 */
export function narration(options: NarrationOptions): Plugin {
  checkOptions(options)
  const sessions = new Sessions(options)
  const promised = new Map<string, Promised>()
  const loader = new Loader(options, sessions, promised)
  return {
    name: 'svc-audio:narration',
    // Before Vite's own plugins: a .txt is an asset to them.
    enforce: 'pre',
    // One instance for all environments of a build, so that they share the limit on calls.
    sharedDuringBuild: true,

    config: (config) => cacheWatchOptions(options.cacheDir, config),

    configureServer(server) {
      const audio = new DevAudio(server, promised, () => sessions.of(server.environments.client))
      server.middlewares.use(audioMiddleware(server.config.base, audio))
    },

    // Before the Markdown plugins, which take every id that ends in `.md?…` for their own.
    resolveId: {
      order: 'pre',
      filter: { id: NARRATION_IMPORT },
      handler(source, importer) {
        return resolveNarration(this, source, importer)
      },
    },

    load: {
      order: 'pre',
      filter: { id: NARRATION_MODULE },
      async handler(id) {
        // `this.error` keeps the id of the module; a bare throw would lose it.
        const loaded = await loader.load(this, id).catch((error: unknown) => {
          sessions.fail(this.environment)
          const file = parseModuleId(id)?.file ?? id
          return this.error({ id: file, message: explain(error, relative(this.environment.config.root, file)) })
        })
        return { code: moduleCode(loaded), moduleType: 'js', moduleSideEffects: false, map: null }
      },
    },

    transform: {
      order: 'pre',
      filter: { code: MAY_MISUSE },
      handler(code, id) {
        const wrong = misuseInCode(code)
        if (wrong !== undefined) this.error({ id, message: `${relative(this.environment.config.root, id)}: ${wrong}` })
      },
    },

    transformIndexHtml: {
      order: 'pre',
      handler(html, { path }) {
        const wrong = misuseInHtml(html)
        if (wrong !== undefined) throw new InvalidNarrationError(`${path.replace(/^\//, '')}: ${wrong}`)
      },
    },

    async hotUpdate(update) {
      const { environment } = this
      const narrations = sessions.loaded(environment).flatMap((id) => {
        const module = environment.moduleGraph.getModuleById(id)
        return module !== undefined && parseModuleId(id)?.file === update.file ? [module] : []
      })
      if (update.type !== 'update' || narrations.length === 0) return undefined
      return updatedModules(update, narrations, (id) => sessions.lastText(environment, id))
    },

    closeBundle() {
      return sessions.end(this.environment)
    },
  }
}
