import { relative } from 'node:path'
import type { Plugin } from 'vite'
import { cacheWatchOptions } from './cache-watch-options.ts'
import { DevAudio, type Promised } from './dev/dev-audio.ts'
import { audioMiddleware } from './dev/middleware.ts'
import { explain } from './explain.ts'
import { unchangedModules } from './hot-update.ts'
import { Loader } from './loader.ts'
import { moduleCode } from './module-code.ts'
import { NARRATION_ID } from './narration-request.ts'
import type { NarrationOptions } from './options.ts'
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

    load: {
      filter: { id: NARRATION_ID },
      async handler(id) {
        // `this.error` keeps the id of the module; a bare throw would lose it.
        const loaded = await loader.load(this, id).catch((error: unknown) => {
          sessions.fail(this.environment)
          const [file = id] = id.split('?', 1)
          return this.error({ id, message: explain(error, relative(this.environment.config.root, file)) })
        })
        return { code: moduleCode(loaded), moduleType: 'js', moduleSideEffects: false, map: null }
      },
    },

    async hotUpdate({ type, modules, read }) {
      if (type !== 'update') return undefined
      const lastText = (id: string): string | undefined => sessions.lastText(this.environment, id)
      const unchanged = await unchangedModules(modules, read, lastText)
      return unchanged.size === 0 ? undefined : modules.filter((module) => !unchanged.has(module))
    },

    closeBundle() {
      return sessions.end(this.environment)
    },
  }
}
