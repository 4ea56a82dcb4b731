import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { type Environment, type IndexHtmlTransformContext, normalizePath, type Plugin, type Rolldown } from 'vite'
import { EXIT_CODES, exitCodeOf, formatError, InvalidNarrationError, noteExitCode } from '../errors.ts'
import type { Loader } from '../loader.ts'
import { displayName } from '../modules.ts'
import { assetName, placeholder } from '../narration.ts'
import type { Sessions } from '../sessions.ts'
import { findMarks, lintHtml, type Mark, type MarkAddresses, MAY_HAVE_MARKS, rewritePage } from './marks.ts'

/** Holds addresses during a build. Vite would resolve a `src` as a file. */
const WAITING = 'data-narration-src'

/** Narrations of HTML entries: `<audio data-narrate="./post.md">` and `<article data-narrate>`. */
export function htmlPlugin(sessions: Sessions, loader: Loader): Plugin[] {
  const html = new HtmlNarrations(sessions, loader)
  return [
    {
      name: 'svc-audio:narration-html',
      sharedDuringBuild: true,
      buildStart() {
        if (this.environment.mode === 'build' && this.environment.config.consumer === 'client') html.context = this
      },
      // A watched build of Vite 6 and 7 transforms a page again only if a file that its own transform named has changed.
      transform: {
        order: 'pre',
        filter: { id: /\.html$/, code: MAY_HAVE_MARKS },
        async handler(code, id) {
          if (this.environment.mode !== 'build') return
          for (const mark of await findMarks(code)) this.addWatchFile(sourceFile(mark, id, this.environment))
        },
      },
      transformIndexHtml: {
        order: 'pre',
        handler: (page, context) => html.rewrite(page, context),
      },
      hotUpdate({ file }) {
        if (html.sources.has(file)) this.environment.hot.send({ type: 'full-reload' })
      },
      // Before Vite writes the pages.
      generateBundle: {
        order: 'pre',
        async handler(_, bundle) {
          const chunks = Object.values(bundle).flatMap((one) => (one.type === 'chunk' ? [one.code] : []))
          await sessions.find(this.environment)?.build.make(this, () => chunks)
        },
      },
    },
    {
      name: 'svc-audio:narration-html-addresses',
      sharedDuringBuild: true,
      transformIndexHtml: { order: 'post', handler: (page) => html.fill(page) },
    },
  ]
}

class HtmlNarrations {
  /** Sources of the dev server's pages. An edit of one reloads the page. */
  readonly sources = new Set<string>()
  /** Context of the build whose pages are transformed. `undefined` in dev. */
  context: Rolldown.PluginContext | undefined
  readonly #sessions: Sessions
  readonly #loader: Loader

  constructor(sessions: Sessions, loader: Loader) {
    this.#sessions = sessions
    this.#loader = loader
  }

  async rewrite(html: string, { path, filename, server }: IndexHtmlTransformContext): Promise<string | undefined> {
    const shown = path.replace(/^\//, '')
    const wrong = lintHtml(html)
    if (wrong !== undefined) {
      if (server === undefined) noteExitCode(EXIT_CODES.text)
      throw new InvalidNarrationError(`${shown}: ${wrong}`)
    }
    const marks = await findMarks(html)
    const environment = server?.environments.client ?? this.context?.environment
    if (marks.length === 0 || environment === undefined) return undefined
    const found = await Promise.all(
      marks.map(async (mark) => {
        const addresses = await this.#addresses(html, mark, filename, environment).catch((error: unknown) => {
          if (environment.mode === 'build') noteExitCode(exitCodeOf(error))
          throw new InvalidNarrationError(formatError(error, mark.source === '' ? shown : mark.source), {
            cause: error,
          })
        })
        return [mark, addresses] as const
      }),
    )
    return rewritePage(html, found, environment.mode === 'build' ? WAITING : 'src')
  }

  /** Inserts the addresses of a build. Vite then applies its `base`. */
  fill(html: string): string | undefined {
    if (this.context === undefined || !html.includes(WAITING)) return undefined
    const filled = this.#sessions.find(this.context.environment)?.build.filled(html) ?? html
    return filled.replaceAll(` ${WAITING}=""`, '').replaceAll(` ${WAITING}=`, ' src=')
  }

  async #addresses(html: string, mark: Mark, page: string, environment: Environment): Promise<MarkAddresses> {
    const [path = '', options = ''] = mark.source.split('?', 2)
    const query = options === '' ? 'narrate' : `${options.replace(/&?narrate$/, '')}&narrate`
    const file = sourceFile(mark, page, environment)
    const narrated = await this.#loader.page(environment, file, query, () =>
      path === '' ? html.slice(mark.contentStart, mark.contentEnd) : readFile(file, 'utf8'),
    )
    const { title, source, recording, script } = narrated
    if (script === undefined && recording === undefined) return { src: '', captions: '', title }
    const files = recording === undefined ? [file] : [file, normalizePath(recording)]
    if (environment.mode !== 'build') {
      for (const one of files) this.sources.add(one)
      const { src, captions } = await this.#loader.register(environment, narrated)
      // Vite prepends the base to the addresses in a page.
      const { base } = environment.getTopLevelConfig()
      const withoutBase = (address: string): string =>
        address.startsWith(base) ? `/${address.slice(base.length)}` : address
      return { src: withoutBase(src), captions: withoutBase(captions), title }
    }
    for (const one of files) this.context?.addWatchFile(one)
    const name = assetName(`html:${page}:${mark.start}`)
    const shownName = displayName(source, query === 'narrate' ? '' : query)
    this.#sessions.of(environment).build.add({ name, shownName, file, page: narrated }, true)
    return { src: placeholder(name, 'src'), captions: placeholder(name, 'captions'), title }
  }
}

/** Absolute path of the source of a mark: the page itself, a path from the site's root, or a path from the page. */
function sourceFile({ source }: Mark, page: string, { config }: Environment): string {
  const [path = ''] = source.split('?', 1)
  if (path === '') return normalizePath(page)
  return normalizePath(path.startsWith('/') ? resolve(config.root, `.${path}`) : resolve(dirname(page), path))
}
