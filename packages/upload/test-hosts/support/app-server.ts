import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { BehaviourApp } from '@svc-audio/kit/behaviour'
import { type CleanProject, freePort, RUNTIME_VERSIONS, runtimes, untilListening } from '@svc-audio/kit/hosts'
import type { TestUpstream } from '@svc-audio/testing'
import { expect } from 'vitest'

/** A running app. Dispose it to stop it. */
export interface AppServer extends AsyncDisposable {
  readonly url: string
}

/** How an app starts. */
export interface AppServerOptions {
  readonly project: CleanProject
  /** Folder of the app inside the project. @default the project's own */
  readonly folder?: string
  readonly upstream: TestUpstream
  /** Program and arguments. */
  readonly command: (port: number) => readonly [string, ...string[]]
  /** @default a free one */
  readonly port?: number
  /** Further variables. */
  readonly env?: Readonly<Record<string, string>>
}

const { bun, deno, workerd } = runtimes()

/** Other runtimes than Node, with the bundler of Workers: dependencies of a clean project. */
export const RUNTIME_DEPENDENCIES: Readonly<Record<string, string>> = {
  [bun[0]]: RUNTIME_VERSIONS.bun,
  [deno[0]]: RUNTIME_VERSIONS.deno,
  [workerd[0]]: RUNTIME_VERSIONS.workerd,
  esbuild: '^0.28.0',
}

/** The binary of a runtime in a project. */
export function runtimeBinary(project: CleanProject, name: 'bun' | 'deno' | 'workerd'): string {
  const [dependency, path] = { bun, deno, workerd }[name]
  return join(project.folder, 'node_modules', dependency, path)
}

/** Starts an app as in production, with the key and the address of the service in its environment. */
export async function startApp(options: AppServerOptions): Promise<AppServer> {
  const { project, folder = '', upstream, command, env, port = await freePort() } = options
  const [program, ...args] = command(port)
  const child = spawn(program, args, {
    cwd: join(project.folder, folder),
    env: {
      ...process.env,
      NODE_ENV: 'production',
      PORT: String(port),
      SVC_AUDIO_API_KEY: upstream.apiKey,
      SVC_AUDIO_BASE_URL: upstream.url,
      DENO_NO_UPDATE_CHECK: '1',
      NEXT_TELEMETRY_DISABLED: '1',
      ...env,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const ended = once(child, 'close')
  await untilListening(port)
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      child.kill()
      await ended
    },
  }
}

/** How a worker starts. */
export interface WorkerOptions {
  readonly project: CleanProject
  readonly upstream: TestUpstream
  /** Path of the worker's module inside the project. */
  readonly entry: string
  readonly compatibilityDate: string
}

/** Bundles a worker as Wrangler does, and starts it on workerd. */
export async function startWorker(options: WorkerOptions): Promise<AppServer> {
  const { project, upstream, entry, compatibilityDate } = options
  expect(await project.run('node', ['bundle-worker.mjs', entry])).toMatchObject({ exitCode: 0 })
  const port = await freePort()
  const config = join(project.folder, entry, `../workerd-${compatibilityDate}.capnp`)
  await writeFile(
    config,
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [ (name = "main", worker = .app), (name = "internet", network = (allow = ["public", "private"])) ],
  sockets = [ (name = "http", address = "127.0.0.1:${port}", http = (), service = "main") ]
);
const app :Workerd.Worker = (
  modules = [ (name = "worker.js", esModule = embed "worker.js") ],
  bindings = [
    (name = "SVC_AUDIO_API_KEY", text = "${upstream.apiKey}"),
    (name = "SVC_AUDIO_BASE_URL", text = "${upstream.url}")
  ],
  compatibilityDate = "${compatibilityDate}",
  compatibilityFlags = ["nodejs_compat"]
);`,
  )
  const command = [runtimeBinary(project, 'workerd'), 'serve', config] as const
  return startApp({ project, upstream, command: () => command, port })
}

/** The webhooks of an app with `routes.mjs`, for the behaviour table. */
export function webhooksOf(url: string): Pick<BehaviourApp, 'callback' | 'handled'> {
  return {
    callback: async () => {
      const { url: address } = (await (await fetch(`${url}/callback`)).json()) as { readonly url: string }
      return address
    },
    handled: async () => (await fetch(`${url}/handled`)).json() as Promise<string[]>,
  }
}
