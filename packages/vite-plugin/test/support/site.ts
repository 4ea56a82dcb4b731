import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer as createHttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import {
  build,
  createServer,
  type HotPayload,
  type InlineConfig,
  mergeConfig,
  type Plugin,
  type ViteDevServer,
} from 'vite'
import { narration, type Narration, type NarrationOptions } from '../../src/index.ts'

/** Content of files by their path from the site's root. */
export type SiteFiles = Readonly<Record<string, string>>

/** A dev server over real HTTP. */
export interface DevSite {
  readonly server: ViteDevServer
  /** Address without a path. */
  readonly url: string
  /** Logged errors. */
  readonly errors: string[]
  /** Loads the module of an import over HTTP and evaluates it. */
  load(id: string): Promise<Narration & { readonly text: string }>
  /** Writes files, and tells the server as its watcher does. Returns what was then sent to each environment. */
  edit(files: SiteFiles): Promise<Readonly<Record<string, HotPayload[]>>>
  /** Resolves once `count` requests have come in. */
  received(count: number): Promise<void>
  /** Resolves once no request is open. */
  idle(): Promise<void>
  close(): Promise<void>
}

/** A small site in a folder of its own. */
export class Site {
  readonly root: string
  readonly #options: () => NarrationOptions
  readonly #cleanups: (() => Promise<void>)[] = []

  constructor(root: string, options: () => NarrationOptions) {
    this.root = root
    this.#options = options
  }

  async write(files: SiteFiles): Promise<void> {
    for (const [name, content] of Object.entries(files)) {
      const path = join(this.root, name)
      await mkdir(dirname(path), { recursive: true })
      await writeFile(path, content)
    }
  }

  /** The plugin with the options of the test's service and further ones. */
  plugin(options: Partial<NarrationOptions> = {}): Plugin[] {
    return narration({ ...this.#options(), ...options })
  }

  /** The site's config. `main.js` is built as a library, so that tests can read its exports. */
  config(config: InlineConfig = {}): InlineConfig {
    const base: InlineConfig = { root: this.root, configFile: false, logLevel: 'silent', envDir: false }
    const library: InlineConfig = {
      build: {
        target: 'esnext',
        minify: false,
        rollupOptions: {
          input: join(this.root, 'main.js'),
          preserveEntrySignatures: 'strict',
          output: { entryFileNames: 'main.js' },
        },
      },
    }
    return mergeConfig(mergeConfig(base, library), config)
  }

  /** Builds, and returns what `main.js` exports. */
  build(
    options: Partial<NarrationOptions> = {},
    config: InlineConfig = {},
  ): Promise<Readonly<Record<string, unknown>>> {
    return this.buildWith(this.plugin(options), config)
  }

  /** Builds with a plugin that is set up already. */
  async buildWith(plugin: Plugin[], config: InlineConfig = {}): Promise<Readonly<Record<string, unknown>>> {
    await build(this.config({ plugins: [plugin], ...config }))
    return this.exports(config.build?.outDir)
  }

  /** What the built `main.js` exports. */
  async exports(outDir = 'dist'): Promise<Readonly<Record<string, unknown>>> {
    const folder = resolve(this.root, outDir)
    // Under a new name each time, since Node keeps modules.
    const copy = join(folder, `main-${randomUUID()}.mjs`)
    await copyFile(join(folder, 'main.js'), copy)
    const module = (await import(/* @vite-ignore */ pathToFileURL(copy).href)) as Record<string, unknown>
    await rm(copy)
    return module
  }

  /** The one narration that `main.js` exports by default. */
  async buildOne(options: Partial<NarrationOptions> = {}, config: InlineConfig = {}): Promise<Narration> {
    return (await this.build(options, config))['default'] as Narration
  }

  /** A file of the built site by its address. */
  built(src: string, outDir = 'dist'): Promise<Buffer<ArrayBuffer>> {
    return readFile(join(this.root, outDir, src))
  }

  /** Paths of all files below a folder, sorted; empty when there is no such folder. */
  async list(folder: string): Promise<string[]> {
    const entries = await readdir(join(this.root, folder), { recursive: true, withFileTypes: true }).catch(() => [])
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .toSorted()
  }

  /** Everything in the files below a folder, as one text. */
  async contents(folder: string): Promise<string> {
    const files = await this.list(folder)
    return (await Promise.all(files.map((file) => readFile(file, 'latin1')))).join('\n')
  }

  /** Starts a dev server without a browser. */
  async dev(options: Partial<NarrationOptions> = {}, config: InlineConfig = {}): Promise<DevSite> {
    const errors: string[] = []
    const httpServer = createHttpServer()
    const server = await createServer(
      mergeConfig(
        this.config({
          plugins: [this.plugin(options)],
          appType: 'custom',
          server: { middlewareMode: { server: httpServer }, ws: false, watch: null },
          optimizeDeps: { noDiscovery: true },
        }),
        config,
      ),
    )
    server.config.logger.error = (message) => void errors.push(message)
    const changed = new EventTarget()
    const requests = { received: 0, open: 0 }
    const until = async (done: () => boolean): Promise<void> => {
      while (!done()) await once(changed, 'change')
    }
    httpServer.on('request', (request, response) => {
      requests.received += 1
      requests.open += 1
      response.once('close', () => {
        requests.open -= 1
        changed.dispatchEvent(new Event('change'))
      })
      changed.dispatchEvent(new Event('change'))
      server.middlewares(request, response)
    })
    httpServer.listen(0, '127.0.0.1')
    await once(httpServer, 'listening')
    const url = `http://127.0.0.1:${(httpServer.address() as AddressInfo).port}`
    let closed = false
    const site: DevSite = {
      server,
      url,
      errors,
      load: async (id) => {
        // Vite's import analysis marks imports of what is no script so
        const response = await fetch(new URL(`${server.config.base}${id.replace('?', '?import&')}`, url))
        const code = await response.text()
        if (!response.ok) throw new Error(`${response.status} ${code}`)
        const module = (await import(/* @vite-ignore */ `data:text/javascript,${encodeURIComponent(code)}`)) as {
          default: Narration
          text: string
        }
        return { ...module.default, text: module.text }
      },
      edit: async (files) => {
        const sent: Record<string, HotPayload[]> = {}
        for (const [name, { hot }] of Object.entries(server.environments)) {
          const payloads: HotPayload[] = []
          sent[name] = payloads
          // passed on, since the server's own module runner is spoken to the same way
          const send: (...all: unknown[]) => void = hot.send.bind(hot)
          hot.send = (payload: unknown, ...rest: unknown[]) => {
            if (typeof payload === 'object' && payload !== null) payloads.push(payload as HotPayload)
            send(payload, ...rest)
          }
        }
        await this.write(files)
        // the hooks of all plugins have run when the last environment has been through
        const settled = Promise.withResolvers<void>()
        server.config.server.hotUpdateEnvironments = async ({ environments }, hmr) => {
          for (const environment of Object.values(environments)) await hmr(environment)
          settled.resolve()
        }
        for (const name of Object.keys(files)) server.watcher.emit('change', join(this.root, name))
        await settled.promise
        return sent
      },
      received: (count) => until(() => requests.received >= count),
      idle: () => until(() => requests.open === 0),
      close: async () => {
        if (closed) return
        closed = true
        await server.close()
        httpServer.close()
        httpServer.closeAllConnections()
      },
    }
    this.#cleanups.push(() => site.close())
    return site
  }

  /** A site in a folder of this one. It is removed with it. */
  below(folder: string): Site {
    const site = new Site(join(this.root, folder), this.#options)
    this.#cleanups.push(() => site.remove())
    return site
  }

  async remove(): Promise<void> {
    for (const cleanup of this.#cleanups.splice(0)) await cleanup()
    await rm(this.root, { recursive: true, force: true })
  }
}
